// Says of each URL on standard input whether a crawler may fetch it, and which line of the robots.txt
// decides. By JNA, on Java 11 or newer:
//
//     java -cp jna.jar Filter.java robots.txt MyCrawler <urls.txt

import com.sun.jna.*;
import java.io.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;

public class Filter {
    @Structure.FieldOrder({"status", "message"})
    public static class Failure extends Structure {
        public int status;
        public byte[] message = new byte[508];
    }

    /** The rule is a slice: an address and a length. */
    @Structure.FieldOrder({"verdict", "reason", "line", "rule", "ruleLength"})
    public static class Decision extends Structure {
        public int verdict, reason, line;
        public Pointer rule;
        public NativeLong ruleLength;
    }

    public interface Robotsieve extends Library {
        Robotsieve LIB = Native.load("librobotsieve.so.0.1", Robotsieve.class);
        int RFC9309 = 0, ALLOW = 1;

        Pointer robotsieve_crawler_named(byte[] name, NativeLong length, int profile, Failure failure);
        Pointer robotsieve_robots_parse(byte[] file, NativeLong length, int profile, Failure failure);
        Pointer robotsieve_policy_new(Pointer robots, Pointer crawler, Failure failure);
        int robotsieve_policy_decide(Pointer policy, byte[] url, NativeLong length, Decision decision, Failure failure);
        double robotsieve_policy_delay(Pointer policy);
        void robotsieve_crawler_free(Pointer crawler);
        void robotsieve_robots_free(Pointer robots);
        void robotsieve_policy_free(Pointer policy);
    }

    static NativeLong length(byte[] bytes) {
        return new NativeLong(bytes.length);
    }

    static Pointer made(Pointer handle, Failure failure) {
        if (handle == null) throw new IllegalArgumentException(Native.toString(failure.message, "UTF-8"));
        return handle;
    }

    public static void main(String[] arguments) throws IOException {
        Robotsieve lib = Robotsieve.LIB;
        byte[] file = Files.readAllBytes(Path.of(arguments[0]));
        byte[] name = arguments[1].getBytes(StandardCharsets.UTF_8);
        Failure failure = new Failure();
        Pointer crawler = made(lib.robotsieve_crawler_named(name, length(name), Robotsieve.RFC9309, failure), failure);
        Pointer robots = made(lib.robotsieve_robots_parse(file, length(file), Robotsieve.RFC9309, failure), failure);
        Pointer policy = made(lib.robotsieve_policy_new(robots, crawler, failure), failure);
        lib.robotsieve_robots_free(robots);
        lib.robotsieve_crawler_free(crawler);
        Decision decision = new Decision();
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line; (line = lines.readLine()) != null;) {
            byte[] url = line.getBytes(StandardCharsets.UTF_8);
            int status = lib.robotsieve_policy_decide(policy, url, length(url), decision, null);
            String verdict = status != 0 ? "invalid" : decision.verdict == Robotsieve.ALLOW ? "allow" : "disallow";
            System.out.println(verdict + " " + (status != 0 ? 0 : decision.line) + " " + line);
        }
        System.out.println("delay " + lib.robotsieve_policy_delay(policy));
        lib.robotsieve_policy_free(policy);
    }
}

// Says of each URL on standard input whether a crawler may fetch it, and which line of the robots.txt
// decides. For .NET and Mono:
//
//     mcs filter.cs && mono filter.exe robots.txt MyCrawler <urls.txt

using System;
using System.IO;
using System.Runtime.InteropServices;
using System.Text;

static class Filter
{
    const string Library = "librobotsieve.so.0.1";
    const uint Rfc9309 = 0;
    const int Allow = 1;

    [StructLayout(LayoutKind.Sequential)]
    struct Error
    {
        public int Status;
        [MarshalAs(UnmanagedType.ByValArray, SizeConst = 508)]
        public byte[] Message;

        public override string ToString() => Encoding.UTF8.GetString(Message, 0, Array.IndexOf(Message, (byte)0));
    }

    [StructLayout(LayoutKind.Sequential)]
    struct Slice
    {
        public IntPtr Data;
        public UIntPtr Length;
    }

    [StructLayout(LayoutKind.Sequential)]
    struct Decision
    {
        public int Verdict;
        public int Reason;
        public uint Line;
        public Slice Rule;
    }

    [DllImport(Library)]
    static extern IntPtr robotsieve_crawler_named(byte[] name, UIntPtr length, uint profile, out Error error);
    [DllImport(Library)]
    static extern IntPtr robotsieve_robots_parse(byte[] file, UIntPtr length, uint profile, out Error error);
    [DllImport(Library)]
    static extern IntPtr robotsieve_policy_new(IntPtr robots, IntPtr crawler, out Error error);
    [DllImport(Library)]
    static extern int robotsieve_policy_decide(IntPtr policy, byte[] url, UIntPtr length, out Decision decision, IntPtr error);
    [DllImport(Library)]
    static extern double robotsieve_policy_delay(IntPtr policy);
    [DllImport(Library)]
    static extern void robotsieve_crawler_free(IntPtr crawler);
    [DllImport(Library)]
    static extern void robotsieve_robots_free(IntPtr robots);
    [DllImport(Library)]
    static extern void robotsieve_policy_free(IntPtr policy);

    static UIntPtr Length(byte[] bytes) => (UIntPtr)(uint)bytes.Length;

    static IntPtr Made(IntPtr handle, Error error) =>
        handle == IntPtr.Zero ? throw new ArgumentException(error.ToString()) : handle;

    static void Main(string[] arguments)
    {
        byte[] file = File.ReadAllBytes(arguments[0]), name = Encoding.UTF8.GetBytes(arguments[1]);
        var crawler = Made(robotsieve_crawler_named(name, Length(name), Rfc9309, out var error), error);
        var robots = Made(robotsieve_robots_parse(file, Length(file), Rfc9309, out error), error);
        var policy = Made(robotsieve_policy_new(robots, crawler, out error), error);
        robotsieve_robots_free(robots);
        robotsieve_crawler_free(crawler);
        while (Console.ReadLine() is string line)
        {
            var url = Encoding.UTF8.GetBytes(line);
            var status = robotsieve_policy_decide(policy, url, Length(url), out var decision, IntPtr.Zero);
            var verdict = status != 0 ? "invalid" : decision.Verdict == Allow ? "allow" : "disallow";
            Console.WriteLine($"{verdict} {(status != 0 ? 0 : decision.Line)} {line}");
        }
        Console.WriteLine(FormattableString.Invariant($"delay {robotsieve_policy_delay(policy)}"));
        robotsieve_policy_free(policy);
    }
}

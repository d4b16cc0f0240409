<?php
// Says of each URL on standard input whether a crawler may fetch it, and which line of the robots.txt
// decides:
//
//     php filter.php robots.txt MyCrawler <urls.txt
//
// The functions that are used, as robotsieve.h declares them. PHP reads no preprocessor's lines.

$lib = FFI::cdef('
    typedef struct { int status; char message[508]; } robotsieve_error;
    typedef struct { const char *data; size_t len; } robotsieve_slice;
    typedef struct { int verdict; int reason; uint32_t line; robotsieve_slice rule; } robotsieve_decision;
    typedef struct robotsieve_crawler robotsieve_crawler;
    typedef struct robotsieve_robots robotsieve_robots;
    typedef struct robotsieve_policy robotsieve_policy;
    robotsieve_crawler *robotsieve_crawler_named(const char *, size_t, uint32_t, robotsieve_error *);
    robotsieve_robots *robotsieve_robots_parse(const char *, size_t, uint32_t, robotsieve_error *);
    robotsieve_policy *robotsieve_policy_new(robotsieve_robots *, robotsieve_crawler *, robotsieve_error *);
    int robotsieve_policy_decide(robotsieve_policy *, const char *, size_t, robotsieve_decision *, robotsieve_error *);
    double robotsieve_policy_delay(robotsieve_policy *);
    void robotsieve_crawler_free(robotsieve_crawler *);
    void robotsieve_robots_free(robotsieve_robots *);
    void robotsieve_policy_free(robotsieve_policy *);
', 'librobotsieve.so.0.1');

const RFC9309 = 0;
const ALLOW = 1;
[, $path, $name] = $argv;
$file = file_get_contents($path);
$error = $lib->new('robotsieve_error');

// What was made, or an exception.
$made = function ($handle) use ($error) {
    if ($handle === null) {
        throw new ValueError(FFI::string($error->message));
    }
    return $handle;
};
$crawler = $made($lib->robotsieve_crawler_named($name, strlen($name), RFC9309, FFI::addr($error)));
$robots = $made($lib->robotsieve_robots_parse($file, strlen($file), RFC9309, FFI::addr($error)));
$policy = $made($lib->robotsieve_policy_new($robots, $crawler, FFI::addr($error)));
$lib->robotsieve_robots_free($robots);
$lib->robotsieve_crawler_free($crawler);

$decision = $lib->new('robotsieve_decision');
while (($line = fgets(STDIN)) !== false) {
    $url = rtrim($line, "\n");
    $status = $lib->robotsieve_policy_decide($policy, $url, strlen($url), FFI::addr($decision), null);
    if ($status !== 0) {
        echo "invalid 0 $url\n";
        continue;
    }
    echo $decision->verdict === ALLOW ? 'allow' : 'disallow', " {$decision->line} $url\n";
}
echo 'delay ', $lib->robotsieve_policy_delay($policy), "\n";
$lib->robotsieve_policy_free($policy);

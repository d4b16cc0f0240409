/*
 * Says of each URL on standard input whether a crawler may fetch it, and which line of the robots.txt
 * decides:
 *
 *     cc filter.c $(pkg-config --cflags --libs robotsieve) -o filter
 *     ./filter robots.txt MyCrawler <urls.txt
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <robotsieve.h>

static void fail(const char *message) {
    fprintf(stderr, "%s\n", message);
    exit(1);
}

int main(int argc, char **argv) {
    if (argc != 3) fail("usage: filter ROBOTS CRAWLER <URLS");
    static char file[512 * 1024];
    FILE *in = fopen(argv[1], "rb");
    if (!in) fail("cannot open the robots.txt");
    size_t file_len = fread(file, 1, sizeof file, in);
    fclose(in);

    robotsieve_error error;
    robotsieve_crawler *crawler =
        robotsieve_crawler_named(argv[2], strlen(argv[2]), ROBOTSIEVE_PROFILE_RFC9309, &error);
    if (!crawler) fail(error.message);
    robotsieve_robots *robots =
        robotsieve_robots_parse(file, file_len, ROBOTSIEVE_PROFILE_RFC9309, &error);
    if (!robots) fail(error.message);
    robotsieve_policy *policy = robotsieve_policy_new(robots, crawler, &error);
    if (!policy) fail(error.message);
    /* The policy needs neither of them. */
    robotsieve_robots_free(robots);
    robotsieve_crawler_free(crawler);

    static char url[64 * 1024];
    while (fgets(url, sizeof url, stdin)) {
        size_t len = strcspn(url, "\n");
        robotsieve_decision decision;
        if (robotsieve_policy_decide(policy, url, len, &decision, &error) == ROBOTSIEVE_STATUS_OK) {
            int allowed = decision.verdict == ROBOTSIEVE_ANSWER_ALLOW;
            printf("%s %u %.*s\n", allowed ? "allow" : "disallow", decision.line, (int)len, url);
        } else {
            printf("invalid 0 %.*s\n", (int)len, url);
        }
    }
    printf("delay %g\n", robotsieve_policy_delay(policy));
    robotsieve_policy_free(policy);
}

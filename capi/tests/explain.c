/*
 * Prints an explanation:
 *
 *     explain ROBOTS name|header CRAWLER URL
 */
#include "check.h"

int main(int argc, char **argv) {
    if (argc != 5) return 2;
    static char file[1 << 20];
    FILE *in = fopen(argv[1], "rb");
    CHECK(in);
    size_t file_len = fread(file, 1, sizeof file, in);
    fclose(in);
    robotsieve_error error;
    robotsieve_robots *robots =
        robotsieve_robots_parse(file, file_len, ROBOTSIEVE_PROFILE_RFC9309, &error);
    robotsieve_crawler *crawler =
        strcmp(argv[2], "header") == 0
            ? robotsieve_crawler_from_user_agent(TEXT(argv[3]), &error)
            : robotsieve_crawler_named(TEXT(argv[3]), ROBOTSIEVE_PROFILE_RFC9309, &error);
    char *why = robotsieve_robots_explain(robots, crawler, TEXT(argv[4]), NULL, &error);
    if (!why) fprintf(stderr, "%s\n", error.message);
    CHECK(why);
    puts(why);
    robotsieve_free(why);
    robotsieve_crawler_free(crawler);
    robotsieve_robots_free(robots);
}

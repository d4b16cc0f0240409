/*
 * All verdicts of google/robotstxt on real files, one by one and many at once.
 *
 *     corpus FOLDER <VERDICTS
 *
 * FOLDER has the files by host; the verdicts are lines `host TAB crawler TAB 0 or 1 TAB url`.
 */
#include "check.h"

#define GOOGLE ROBOTSIEVE_PROFILE_GOOGLE

static char *contents(FILE *in, size_t *len) {
    size_t room = 1 << 20;
    char *bytes = malloc(room);
    *len = 0;
    for (size_t got; (got = fread(bytes + *len, 1, room - *len, in)) > 0;) {
        *len += got;
        if (*len == room) bytes = realloc(bytes, room *= 2);
    }
    return bytes;
}

static char host[512], name[512];
static robotsieve_robots *robots;
static robotsieve_policy *policy;
static robotsieve_slice *urls;
static uint8_t *wanted, *answers;
static size_t count, room, total, disallowed, wrong;

/* Asks about the URLs of one host and crawler. */
static void ask(void) {
    robotsieve_error error;
    CHECK(!robotsieve_policy_answers(policy, urls, count, answers, count, &error) && GOOD(error));
    for (size_t i = 0; i < count; i++) {
        total++;
        disallowed += wanted[i] == 0;
        robotsieve_decision decision;
        CHECK(!robotsieve_policy_decide(policy, urls[i].data, urls[i].len, &decision, NULL));
        wrong += answers[i] != wanted[i] || decision.verdict != (robotsieve_answer)wanted[i] ||
                 robotsieve_policy_allows(policy, urls[i].data, urls[i].len) != wanted[i];
    }
    count = 0;
}

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    size_t len;
    char *verdicts = contents(stdin, &len);
    for (char *line = verdicts, *end = verdicts + len; line < end;) {
        char *next = memchr(line, '\n', end - line);
        if (!next) next = end;
        char *tabs[3], *at = line;
        for (int i = 0; i < 3; i++) {
            tabs[i] = memchr(at, '\t', next - at);
            CHECK(tabs[i]);
            at = tabs[i] + 1;
        }
        *tabs[0] = *tabs[1] = '\0';
        if (strcmp(host, line) != 0 || strcmp(name, tabs[0] + 1) != 0) {
            if (policy) ask();
            if (strcmp(host, line) != 0) {
                char path[2048];
                snprintf(path, sizeof path, "%s/%s", argv[1], line);
                FILE *in = fopen(path, "rb");
                CHECK(in);
                size_t file_len;
                char *file = contents(in, &file_len);
                fclose(in);
                robotsieve_robots_free(robots);
                robots = robotsieve_robots_parse(file, file_len, GOOGLE, NULL);
                CHECK(robots);
                free(file);
            }
            snprintf(host, sizeof host, "%s", line);
            snprintf(name, sizeof name, "%s", tabs[0] + 1);
            robotsieve_crawler *crawler = crawler_named(name, GOOGLE);
            robotsieve_policy_free(policy);
            policy = robotsieve_policy_new(robots, crawler, NULL);
            CHECK(policy);
            robotsieve_crawler_free(crawler);
        }
        if (count == room) {
            room = room ? 2 * room : 1024;
            urls = realloc(urls, room * sizeof *urls);
            wanted = realloc(wanted, room);
            answers = realloc(answers, room);
        }
        urls[count] = (robotsieve_slice){tabs[2] + 1, (size_t)(next - tabs[2] - 1)};
        wanted[count++] = tabs[1][1] == '1';
        line = next + 1;
    }
    ask();
    robotsieve_policy_free(policy);
    robotsieve_robots_free(robots);
    free(urls), free(wanted), free(answers), free(verdicts);
    printf("corpus: %zu verdicts, %zu of them disallow, %zu wrong\n", total, disallowed, wrong);
    CHECK(total == 600347 && disallowed == 222637 && wrong == 0);
    return 0;
}

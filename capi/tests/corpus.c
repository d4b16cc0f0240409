/*
 * All verdicts of google/robotstxt on real files: one by one, many at once, by a set and by its pack.
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
static size_t count, room, total, disallowed, wrong, of_sets;
static robotsieve_slice file;
static robotsieve_crawler *crawler;

/* Compares answers, of which those on other sites than that of the first URL are not known. */
static void compare(void) {
    for (size_t i = 0; i < count; i++) {
        if (answers[i] == ROBOTSIEVE_ANSWER_UNKNOWN || answers[i] == ROBOTSIEVE_ANSWER_INVALID) continue;
        of_sets++;
        wrong += answers[i] != wanted[i];
    }
}

/* Asks a set, and the pack that is made of it. */
static void ask_sets(void) {
    robotsieve_error error;
    const robotsieve_crawler *crawlers[] = {crawler};
    robotsieve_set *set = robotsieve_set_new(crawlers, 1, GOOGLE, &error);
    CHECK(set);
    if (!robotsieve_set_put(set, urls[0].data, urls[0].len, ROBOTSIEVE_SITE_FILE, file.data, file.len, &error)) {
        CHECK(!robotsieve_set_answers(set, urls, count, answers, count, &error));
        compare();
        robotsieve_slice bytes;
        void *made = robotsieve_set_pack(set, &bytes.len, &error);
        bytes.data = made;
        robotsieve_pack *pack = robotsieve_pack_open(&bytes, 1, &error);
        CHECK(pack && !robotsieve_pack_answers(pack, NULL, 0, urls, count, answers, count, &error));
        compare();
        robotsieve_pack_free(pack);
        robotsieve_free(made);
    }
    robotsieve_set_free(set);
}

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
    ask_sets();
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
                free((void *)file.data);
                file.data = contents(in, &file.len);
                fclose(in);
                robotsieve_robots_free(robots);
                robots = robotsieve_robots_parse(file.data, file.len, GOOGLE, NULL);
                CHECK(robots);
            }
            snprintf(host, sizeof host, "%s", line);
            snprintf(name, sizeof name, "%s", tabs[0] + 1);
            robotsieve_crawler_free(crawler);
            crawler = crawler_named(name, GOOGLE);
            robotsieve_policy_free(policy);
            policy = robotsieve_policy_new(robots, crawler, NULL);
            CHECK(policy);
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
    robotsieve_crawler_free(crawler);
    free(urls), free(wanted), free(answers), free(verdicts), free((void *)file.data);
    printf("corpus: %zu verdicts, %zu of them disallow, and %zu of sets and packs; %zu wrong\n", total,
           disallowed, of_sets, wrong);
    CHECK(total == 600347 && disallowed == 222637 && of_sets == 1194226 && wrong == 0);
    return 0;
}

/* Arguments that no caller should give: each is an error, none ends the process. */
#include <limits.h>

#include "check.h"

static robotsieve_error error;

/* The kind of failure of a call, whose result must be that of a failure. */
#define FAILS(call, failed, kind)                                                                  \
    do {                                                                                           \
        memset(&error, 0x55, sizeof error);                                                        \
        CHECK((call) == (failed));                                                                 \
        CHECK(FAILED(error, kind) && memchr(error.message, 0, sizeof error.message) != NULL);      \
    } while (0)

#define STATUS(call, kind) FAILS(call, ROBOTSIEVE_STATUS_##kind, kind)

int main(void) {
    static const char file[] = "User-agent: *\nDisallow: /x\n";
    robotsieve_robots *robots = parsed(file, 0);
    robotsieve_crawler *crawler = crawler_named("a", 0);
    const robotsieve_crawler *crawlers[] = {crawler, NULL};
    robotsieve_policy *policy = policy_of(file, "a", 0);
    robotsieve_set *set = robotsieve_set_new(crawlers, 1, 0, NULL);
    CHECK(set && !robotsieve_set_put(set, TEXT("https://a.example"), 0, TEXT(file), NULL));
    size_t len;
    char *bytes = robotsieve_set_pack(set, &len, NULL);
    robotsieve_slice files[] = {{bytes, len}};
    robotsieve_pack *pack = robotsieve_pack_open(files, 1, NULL);
    CHECK(pack);
    robotsieve_decision decision;
    uint8_t answers[4];
    const robotsieve_slice urls[] = {SLICE("https://a.example/"), SLICE("/x")};
    const size_t first[] = {0}, second[] = {1}, last[] = {SIZE_MAX};

    /* NULL is freed. */
    robotsieve_crawler_free(NULL);
    robotsieve_robots_free(NULL);
    robotsieve_policy_free(NULL);
    robotsieve_set_free(NULL);
    robotsieve_pack_free(NULL);
    robotsieve_free(NULL);

    /* Each pointer NULL. */
    FAILS(robotsieve_crawler_named(NULL, 0, 0, &error), NULL, NULL_POINTER);
    FAILS(robotsieve_crawler_named(NULL, 1, 0, &error), NULL, NULL_POINTER);
    FAILS(robotsieve_crawler_from_user_agent(NULL, 0, &error), NULL, NULL_POINTER);
    FAILS(robotsieve_robots_parse(NULL, 1, 0, &error), NULL, NULL_POINTER);
    FAILS(robotsieve_robots_sitemaps(NULL, NULL, 0, &error), 0, NULL_POINTER);
    FAILS(robotsieve_robots_sitemaps(robots, NULL, 1, &error), 0, NULL_POINTER);
    FAILS(robotsieve_robots_explain(NULL, crawler, TEXT("/"), &len, &error), NULL, NULL_POINTER);
    FAILS(robotsieve_robots_explain(robots, NULL, TEXT("/"), &len, &error), NULL, NULL_POINTER);
    FAILS(robotsieve_robots_explain(robots, crawler, NULL, 1, &len, &error), NULL, NULL_POINTER);
    FAILS(robotsieve_robots_txt_url(NULL, 1, &len, &error), NULL, NULL_POINTER);
    FAILS(robotsieve_policy_new(NULL, crawler, &error), NULL, NULL_POINTER);
    FAILS(robotsieve_policy_new(robots, NULL, &error), NULL, NULL_POINTER);
    CHECK(robotsieve_policy_allows(NULL, TEXT("/")) == 0);
    CHECK(robotsieve_policy_allows(policy, NULL, 1) == 0);
    CHECK(robotsieve_policy_delay(NULL) == 0);
    STATUS(robotsieve_policy_answers(NULL, urls, 2, answers, 2, &error), NULL_POINTER);
    STATUS(robotsieve_policy_answers(policy, NULL, 2, answers, 2, &error), NULL_POINTER);
    STATUS(robotsieve_policy_answers(policy, urls, 2, NULL, 2, &error), NULL_POINTER);
    STATUS(robotsieve_policy_decide(NULL, TEXT("/"), &decision, &error), NULL_POINTER);
    STATUS(robotsieve_policy_decide(policy, NULL, 1, &decision, &error), NULL_POINTER);
    STATUS(robotsieve_policy_decide(policy, TEXT("/"), NULL, &error), NULL_POINTER);
    FAILS(robotsieve_set_new(NULL, 1, 0, &error), NULL, NULL_POINTER);
    FAILS(robotsieve_set_new(crawlers, 2, 0, &error), NULL, NULL_POINTER);
    STATUS(robotsieve_set_put(NULL, TEXT("https://a.example"), 0, TEXT(file), &error), NULL_POINTER);
    STATUS(robotsieve_set_put(set, NULL, 1, 0, TEXT(file), &error), NULL_POINTER);
    STATUS(robotsieve_set_put(set, TEXT("https://a.example"), 0, NULL, 1, &error), NULL_POINTER);
    STATUS(robotsieve_set_remove(NULL, TEXT("https://a.example"), &error), NULL_POINTER);
    FAILS(robotsieve_set_len(NULL, &error), 0, NULL_POINTER);
    FAILS(robotsieve_set_answer(NULL, 0, TEXT("/"), &error), ROBOTSIEVE_ANSWER_UNKNOWN, NULL_POINTER);
    STATUS(robotsieve_set_answers(NULL, urls, 2, answers, 2, &error), NULL_POINTER);
    STATUS(robotsieve_set_answers(set, NULL, 2, answers, 2, &error), NULL_POINTER);
    STATUS(robotsieve_set_answers(set, urls, 2, NULL, 2, &error), NULL_POINTER);
    FAILS(robotsieve_set_delay(NULL, 0, TEXT("https://a.example"), &error), 0, NULL_POINTER);
    FAILS(robotsieve_set_pack(NULL, &len, &error), NULL, NULL_POINTER);
    FAILS(robotsieve_set_pack(set, NULL, &error), NULL, NULL_POINTER);
    FAILS(robotsieve_pack_open(NULL, 1, &error), NULL, NULL_POINTER);
    FAILS(robotsieve_pack_open_files(NULL, 1, &error), NULL, NULL_POINTER);
    STATUS(robotsieve_pack_verify(NULL, &error), NULL_POINTER);
    CHECK(robotsieve_pack_crawler_count(NULL) == 0);
    FAILS(robotsieve_pack_find_crawler(NULL, crawler, &error), SIZE_MAX, NULL_POINTER);
    FAILS(robotsieve_pack_find_crawler(pack, NULL, &error), SIZE_MAX, NULL_POINTER);
    FAILS(robotsieve_pack_answer(NULL, 0, TEXT("/"), &error), ROBOTSIEVE_ANSWER_UNKNOWN, NULL_POINTER);
    STATUS(robotsieve_pack_answers(NULL, NULL, 0, urls, 2, answers, 2, &error), NULL_POINTER);
    STATUS(robotsieve_pack_answers(pack, NULL, 1, urls, 2, answers, 2, &error), NULL_POINTER);
    STATUS(robotsieve_pack_answers(pack, first, 1, NULL, 2, answers, 2, &error), NULL_POINTER);
    STATUS(robotsieve_pack_answers(pack, first, 1, urls, 2, NULL, 2, &error), NULL_POINTER);
    FAILS(robotsieve_pack_delay(NULL, 0, TEXT("https://a.example"), &error), 0, NULL_POINTER);
    /* Nothing is told if there is no place for it. */
    CHECK(!robotsieve_robots_parse(NULL, 1, 0, NULL));
    CHECK(robotsieve_policy_answers(NULL, urls, 2, answers, 2, NULL) == ROBOTSIEVE_STATUS_NULL_POINTER);

    /* Lengths that no memory has. */
    const size_t lengths[] = {SIZE_MAX, SIZE_MAX / 2 + 1, SIZE_MAX - 4096};
    for (int i = 0; i < 3; i++) {
        size_t much = lengths[i];
        FAILS(robotsieve_crawler_named("a", much, 0, &error), NULL, ARGUMENT);
        FAILS(robotsieve_crawler_from_user_agent("a", much, &error), NULL, ARGUMENT);
        FAILS(robotsieve_robots_parse(file, much, 0, &error), NULL, ARGUMENT);
        FAILS(robotsieve_robots_explain(robots, crawler, "/", much, NULL, &error), NULL, ARGUMENT);
        FAILS(robotsieve_robots_txt_url("/", much, NULL, &error), NULL, ARGUMENT);
        CHECK(robotsieve_policy_allows(policy, "/", much) == 0);
        STATUS(robotsieve_policy_decide(policy, "/", much, &decision, &error), ARGUMENT);
        STATUS(robotsieve_policy_answers(policy, urls, much, answers, much, &error), ARGUMENT);
        STATUS(robotsieve_set_put(set, "/", much, 0, TEXT(file), &error), ARGUMENT);
        STATUS(robotsieve_set_answers(set, urls, much, answers, much, &error), ARGUMENT);
        FAILS(robotsieve_set_new(crawlers, much, 0, &error), NULL, ARGUMENT);
        FAILS(robotsieve_pack_open(files, much, &error), NULL, ARGUMENT);
        STATUS(robotsieve_pack_answers(pack, first, much, urls, 2, answers, 2, &error), ARGUMENT);
        const robotsieve_slice long_url[] = {SLICE("/"), {"/", much}};
        answers[0] = 9;
        STATUS(robotsieve_policy_answers(policy, long_url, 2, answers, 2, &error), ARGUMENT);
        CHECK(answers[0] == 9 && strstr(error.message, "URL 1") == error.message);
    }
    /* Counts that, multiplied, are small again. */
    STATUS(robotsieve_set_answers(set, urls, SIZE_MAX / sizeof *urls + 2, answers, 1, &error), ARGUMENT);
    const robotsieve_slice missing[] = {{NULL, 3}};
    STATUS(robotsieve_policy_answers(policy, missing, 1, answers, 1, &error), ARGUMENT);

    /* Too little room, or too much. */
    STATUS(robotsieve_policy_answers(policy, urls, 2, answers, 1, &error), ARGUMENT);
    STATUS(robotsieve_policy_answers(policy, urls, 2, answers, 3, &error), ARGUMENT);
    STATUS(robotsieve_policy_answers(policy, urls, 2, NULL, 0, &error), ARGUMENT);
    STATUS(robotsieve_set_answers(set, urls, 2, answers, 1, &error), ARGUMENT);
    STATUS(robotsieve_pack_answers(pack, NULL, 0, urls, 2, answers, 4, &error), ARGUMENT);
    CHECK(strcmp(error.message, "2 URLs and 1 crawlers have 2 answers, but there is room for 4") == 0);

    /* Numbers that no enumeration has. */
    const uint32_t numbers[] = {4, 0x80000000, UINT32_MAX};
    for (int i = 0; i < 3; i++) {
        FAILS(robotsieve_crawler_named("a", 1, numbers[i], &error), NULL, ARGUMENT);
        FAILS(robotsieve_robots_parse(TEXT(file), numbers[i], &error), NULL, ARGUMENT);
        FAILS(robotsieve_set_new(crawlers, 1, numbers[i], &error), NULL, ARGUMENT);
        STATUS(robotsieve_set_put(set, TEXT("https://a.example"), numbers[i], TEXT(file), &error), ARGUMENT);
    }
    /* A file for a site that has none. */
    STATUS(robotsieve_set_put(set, TEXT("https://a.example"), ROBOTSIEVE_SITE_ALLOW_ALL, TEXT(file), &error),
           ARGUMENT);

    /* Crawlers that are not there. */
    const size_t none[] = {1, SIZE_MAX};
    for (int i = 0; i < 2; i++) {
        FAILS(robotsieve_set_answer(set, none[i], TEXT("https://a.example/"), &error),
              ROBOTSIEVE_ANSWER_UNKNOWN, ARGUMENT);
        FAILS(robotsieve_set_delay(set, none[i], TEXT("https://a.example/"), &error), 0, ARGUMENT);
        FAILS(robotsieve_pack_answer(pack, none[i], TEXT("https://a.example/"), &error),
              ROBOTSIEVE_ANSWER_UNKNOWN, ARGUMENT);
        FAILS(robotsieve_pack_delay(pack, none[i], TEXT("https://a.example/"), &error), 0, ARGUMENT);
    }
    STATUS(robotsieve_pack_answers(pack, second, 1, urls, 2, answers, 2, &error), ARGUMENT);
    STATUS(robotsieve_pack_answers(pack, last, 1, urls, 2, answers, 2, &error), ARGUMENT);

    /* Answers that would be written over the question. */
    char both[64] = "https://a.example/https://a.example/";
    const robotsieve_slice within[] = {{both, 18}, {both + 18, 18}};
    STATUS(robotsieve_policy_answers(policy, within, 2, (uint8_t *)both + 35, 2, &error), ARGUMENT);
    CHECK(strcmp(error.message, "the answers lie in the bytes of URL 1") == 0);
    STATUS(robotsieve_set_answers(set, within, 2, (uint8_t *)both, 2, &error), ARGUMENT);
    STATUS(robotsieve_pack_answers(pack, NULL, 0, within, 2, (uint8_t *)(void *)within, 2, &error), ARGUMENT);
    CHECK(!robotsieve_policy_answers(policy, within, 2, (uint8_t *)both + 36, 2, &error));
    const robotsieve_slice empty[] = {{both, 0}, {NULL, 0}};
    CHECK(!robotsieve_policy_answers(policy, empty, 2, (uint8_t *)both, 2, &error));

    /* Addresses that no array has. */
    _Alignas(16) char room[sizeof urls + sizeof decision + 16] = {0};
    memcpy(room + 1, urls, sizeof urls);
    STATUS(robotsieve_policy_answers(policy, (const void *)(room + 1), 2, answers, 2, &error), ARGUMENT);
    STATUS(robotsieve_policy_answers((const void *)(room + 1), urls, 2, answers, 2, &error), ARGUMENT);
    /* Results may lie anywhere. */
    CHECK(!robotsieve_policy_decide(policy, TEXT("/x"), (void *)(room + 3), &error));
    memcpy(&decision, room + 3, sizeof decision);
    CHECK(decision.line == 2 && decision.rule.len == 2);

    /* URLs of no site. */
    STATUS(robotsieve_set_put(set, TEXT("no URL"), 0, TEXT(file), &error), URL);
    STATUS(robotsieve_set_put(set, NULL, 0, 0, TEXT(file), &error), URL);
    STATUS(robotsieve_set_remove(set, TEXT("ftp:"), &error), URL);
    FAILS(robotsieve_set_delay(set, 0, TEXT("/x"), &error), 0, URL);
    FAILS(robotsieve_pack_delay(pack, 0, TEXT("/x"), &error), 0, URL);

    /* A message is cut where a character ends. */
    char name[3 * 400 + 1];
    for (int i = 0; i < 400; i++) memcpy(name + 3 * i, "\xE2\x82\xAC", 4);
    FAILS(robotsieve_crawler_named(name + 3, 3 * 399, 0, &error), NULL, NAME);
    len = strlen(error.message);
    CHECK(len > 500 && len < sizeof error.message && (unsigned char)error.message[len - 1] == 0xAC);
    /* Bytes that are no UTF-8, and a NUL. */
    FAILS(robotsieve_crawler_named("\xFF\0x", 3, 0, &error), NULL, NAME);
    CHECK(strcmp(error.message, "'\xEF\xBF\xBD?x' is not a product token, so no group can name it") == 0);

    /* Paths that no pack has: the message has the cause, however long they are. */
    char path[9000];
    memset(path, 'a', sizeof path);
    const robotsieve_slice paths[] = {{path, sizeof path}, {"/tmp\0x", 6}, {NULL, 0}, SLICE("/tmp"), SLICE("/dev/zero")};
    for (int i = 0; i < 5; i++) {
        FAILS(robotsieve_pack_open_files(&paths[i], 1, &error), NULL, FILE);
        CHECK(strstr(error.message, "': ") != NULL);
    }
    FAILS(robotsieve_pack_open_files(NULL, 0, &error), NULL, PACK);

    /* Any bytes are a file, and a URL. */
    for (int seed = 0; seed < 200; seed++) {
        char noise[512];
        unsigned state = seed * 2654435761u + 1;
        for (size_t i = 0; i < sizeof noise; i++) {
            state = state * 1664525u + 1013904223u;
            static const char often[] = "\n\n:*$/%\r# \tUser-agent:Disallow:Allow:Sitemap:\xEF\xBB\xBF\0";
            noise[i] = state >> 31 ? often[(state >> 16) % sizeof often] : (char)(state >> 24);
        }
        for (uint32_t profile = 0; profile < 4; profile++) {
            robotsieve_robots *parsed = robotsieve_robots_parse(noise, sizeof noise, profile, &error);
            CHECK(parsed && GOOD(error));
            robotsieve_policy *of_noise = robotsieve_policy_new(parsed, crawler, &error);
            CHECK(of_noise);
            for (size_t from = 0; from < sizeof noise; from += 37) {
                robotsieve_slice url = {noise + from, sizeof noise - from};
                int allows = robotsieve_policy_allows(of_noise, url.data, url.len);
                CHECK(!robotsieve_policy_answers(of_noise, &url, 1, answers, 1, NULL));
                CHECK(allows == (answers[0] == ROBOTSIEVE_ANSWER_ALLOW));
                robotsieve_status status =
                    robotsieve_policy_decide(of_noise, url.data, url.len, &decision, &error);
                CHECK((status == ROBOTSIEVE_STATUS_OK) == (answers[0] < 2));
                CHECK(status != ROBOTSIEVE_STATUS_OK || decision.verdict == (robotsieve_answer)answers[0]);
                char *why = robotsieve_robots_explain(parsed, crawler, url.data, url.len, NULL, &error);
                CHECK((why != NULL) == (answers[0] < 2));
                robotsieve_free(why);
            }
            robotsieve_policy_free(of_noise);
            robotsieve_robots_free(parsed);
        }
    }

    robotsieve_pack_free(pack);
    robotsieve_free(bytes);
    robotsieve_set_free(set);
    robotsieve_policy_free(policy);
    robotsieve_robots_free(robots);
    robotsieve_crawler_free(crawler);
    return passed("hostile");
}

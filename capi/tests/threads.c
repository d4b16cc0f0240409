/* Many threads use the same handles, and change the same set. */
#include <pthread.h>

#include "check.h"

enum { THREADS = 8 };

static robotsieve_crawler *crawler;
static robotsieve_robots *robots;
static robotsieve_policy *policy;
static robotsieve_set *set;
static robotsieve_pack *pack;
static int rounds = 300;

/* `CHECK` counts, which threads cannot. */
#define MUST(claim)                                                                                \
    do {                                                                                           \
        if (!(claim)) {                                                                            \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #claim);                    \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

static void *work(void *argument) {
    size_t number = (size_t)argument;
    robotsieve_error error;
    /* Rules over the limits of a DFA, and a URL that they find hard. */
    char hard[8192] = "User-agent: *\n", url[4096] = "/";
    for (size_t i = 0; strlen(hard) < sizeof hard - 64; i++) {
        sprintf(hard + strlen(hard), "Disallow: /*a*%c*a*%c*b\n", 'a' + (char)(i % 26), 'a' + (char)(i / 26 % 26));
    }
    memset(url + 1, 'a', sizeof url - 1);
    robotsieve_robots *parsed_hard = robotsieve_robots_parse(TEXT(hard), 0, &error);
    robotsieve_policy *of_hard = robotsieve_policy_new(parsed_hard, crawler, &error);
    robotsieve_robots_free(parsed_hard);
    for (int i = 0; i < 3; i++) MUST(robotsieve_policy_allows(of_hard, url, sizeof url) == 1);
    robotsieve_policy_free(of_hard);
    char own[64];
    snprintf(own, sizeof own, "https://host-%zu.example/x", number);
    for (int round = 0; round < rounds; round++) {
        /* The policy compiles itself while all ask it. */
        MUST(robotsieve_policy_allows(policy, TEXT("/x")) == 0);
        MUST(robotsieve_policy_allows(policy, TEXT("/y")) == 1);
        robotsieve_policy *again = robotsieve_policy_new(robots, crawler, &error);
        MUST(again && robotsieve_policy_allows(again, TEXT("/x")) == 0);
        robotsieve_policy_free(again);
        MUST(robotsieve_pack_answer(pack, 0, TEXT("https://shared.example/x"), &error) ==
             ROBOTSIEVE_ANSWER_DISALLOW);
        /* Each thread has a site of its own in the set, and all share one. */
        MUST(robotsieve_set_answer(set, 0, TEXT(own), &error) == ROBOTSIEVE_ANSWER_UNKNOWN);
        MUST(!robotsieve_set_put(set, TEXT(own), ROBOTSIEVE_SITE_FILE,
                                 TEXT("User-agent: *\nDisallow: /x"), &error));
        const robotsieve_slice urls[] = {SLICE(own), SLICE("https://shared.example/x")};
        uint8_t answers[2];
        MUST(!robotsieve_set_answers(set, urls, 2, answers, 2, &error));
        MUST(answers[0] == ROBOTSIEVE_ANSWER_DISALLOW && answers[1] == ROBOTSIEVE_ANSWER_DISALLOW);
        MUST(!robotsieve_set_remove(set, TEXT(own), &error));
    }
    return NULL;
}

int main(int argc, char **argv) {
    if (argc > 1) rounds = atoi(argv[1]);
    static const char file[] = "User-agent: *\nDisallow: /x\n";
    crawler = crawler_named("a", 0);
    robots = parsed(file, 0);
    policy = policy_of(file, "a", 0);
    const robotsieve_crawler *crawlers[] = {crawler};
    set = robotsieve_set_new(crawlers, 1, 0, NULL);
    CHECK(set && !robotsieve_set_put(set, TEXT("https://shared.example"), 0, TEXT(file), NULL));
    robotsieve_slice bytes;
    char *made = robotsieve_set_pack(set, &bytes.len, NULL);
    bytes.data = made;
    pack = robotsieve_pack_open(&bytes, 1, NULL);
    CHECK(pack);
    pthread_t threads[THREADS];
    pthread_attr_t small;
    CHECK(!pthread_attr_init(&small));
#ifndef __SANITIZE_ADDRESS__
    /* As much stack as a coroutine may have. */
    CHECK(!pthread_attr_setstacksize(&small, 64 * 1024));
#endif
    for (size_t i = 0; i < THREADS; i++) CHECK(!pthread_create(&threads[i], &small, work, (void *)i));
    for (size_t i = 0; i < THREADS; i++) CHECK(!pthread_join(threads[i], NULL));
    CHECK(robotsieve_set_len(set, NULL) == 1);
    robotsieve_pack_free(pack);
    robotsieve_free(made);
    robotsieve_set_free(set);
    robotsieve_policy_free(policy);
    robotsieve_robots_free(robots);
    robotsieve_crawler_free(crawler);
    return passed("threads");
}

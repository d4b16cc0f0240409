/* What the tests share: claims, and short names for what they say often. */
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <robotsieve.h>

static size_t checks;

/* Ends the test unless the claim holds. */
#define CHECK(claim)                                                                               \
    do {                                                                                           \
        checks++;                                                                                  \
        if (!(claim)) {                                                                            \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #claim);                    \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

/* A text with its length, as two arguments. */
#define TEXT(text) (text), strlen(text)

/* The same as a slice. */
#define SLICE(text) ((robotsieve_slice){.data = (text), .len = strlen(text)})

/* The result of a call that must succeed. */
#define GOOD(error) ((error).status == ROBOTSIEVE_STATUS_OK && (error).message[0] == '\0')

/* A call that must fail so, with a message. */
#define FAILED(error, kind) ((error).status == ROBOTSIEVE_STATUS_##kind && (error).message[0] != '\0')

static inline robotsieve_crawler *crawler_named(const char *name, uint32_t profile) {
    robotsieve_error error;
    robotsieve_crawler *crawler = robotsieve_crawler_named(TEXT(name), profile, &error);
    CHECK(crawler && GOOD(error));
    return crawler;
}

static inline robotsieve_robots *parsed(const char *file, uint32_t profile) {
    robotsieve_error error;
    robotsieve_robots *robots = robotsieve_robots_parse(TEXT(file), profile, &error);
    CHECK(robots && GOOD(error));
    return robots;
}

/* The policy for a crawler with a name; the file and the crawler are freed before it is used. */
static inline robotsieve_policy *policy_of(const char *file, const char *name, uint32_t profile) {
    robotsieve_error error;
    robotsieve_crawler *crawler = crawler_named(name, profile);
    robotsieve_robots *robots = parsed(file, profile);
    robotsieve_policy *policy = robotsieve_policy_new(robots, crawler, &error);
    CHECK(policy && GOOD(error));
    robotsieve_robots_free(robots);
    robotsieve_crawler_free(crawler);
    return policy;
}

static inline int passed(const char *test) {
    printf("%s: %zu checks\n", test, checks);
    return 0;
}

#endif

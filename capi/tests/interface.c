/* Each function, as the header describes it. */
#include "check.h"

#define RFC9309 ROBOTSIEVE_PROFILE_RFC9309

static const char FILE_TEXT[] = "User-agent: GPTBot\n"
                                "Disallow: /\n"
                                "\n"
                                "User-agent: *\n"
                                "Crawl-delay: 2.5\n"
                                "Disallow: /search\n"
                                "Allow: /search/about\n"
                                "Sitemap: https://example.com/a.xml\n"
                                "Sitemap: https://example.com/b.xml\n";

static void versions(void) {
    CHECK(strcmp(robotsieve_version(), VERSION) == 0);
}

static void policies(void) {
    robotsieve_policy *policy = policy_of(FILE_TEXT, "MyCrawler", RFC9309);
    CHECK(robotsieve_policy_allows(policy, TEXT("https://example.com/")) == 1);
    CHECK(robotsieve_policy_allows(policy, TEXT("https://example.com/search?q=x")) == 0);
    CHECK(robotsieve_policy_allows(policy, TEXT("/search/about")) == 1);
    CHECK(robotsieve_policy_allows(policy, TEXT("no URL")) == 0);
    CHECK(robotsieve_policy_allows(policy, NULL, 0) == 0);
    /* The length decides, not a NUL. */
    CHECK(robotsieve_policy_allows(policy, "/search", 6) == 1);
    CHECK(robotsieve_policy_allows(policy, "/search", 7) == 0);

    const robotsieve_slice urls[] = {SLICE("/"), SLICE("https://e.com/search"), SLICE("no URL"), {NULL, 0}};
    uint8_t answers[5] = {9, 9, 9, 9, 9};
    robotsieve_error error;
    CHECK(robotsieve_policy_answers(policy, urls, 4, answers, 4, &error) == ROBOTSIEVE_STATUS_OK);
    CHECK(GOOD(error));
    const uint8_t wanted[5] = {ROBOTSIEVE_ANSWER_ALLOW, ROBOTSIEVE_ANSWER_DISALLOW,
                               ROBOTSIEVE_ANSWER_INVALID, ROBOTSIEVE_ANSWER_INVALID, 9};
    CHECK(memcmp(answers, wanted, 5) == 0);
    CHECK(robotsieve_policy_answers(policy, NULL, 0, NULL, 0, NULL) == ROBOTSIEVE_STATUS_OK);

    CHECK(robotsieve_policy_delay(policy) == 2.5);
    robotsieve_policy_free(policy);

    policy = policy_of(FILE_TEXT, "gptbot", RFC9309);
    CHECK(robotsieve_policy_allows(policy, TEXT("/")) == 0);
    CHECK(robotsieve_policy_allows(policy, TEXT("/robots.txt")) == 1);
    CHECK(robotsieve_policy_delay(policy) == 0);
    robotsieve_policy_free(policy);

    /* It compiles itself, and stays right. */
    policy = policy_of(FILE_TEXT, "MyCrawler", RFC9309);
    for (int i = 0; i < 10000; i++) {
        CHECK(robotsieve_policy_allows(policy, TEXT("/search/abou")) == 0);
        CHECK(robotsieve_policy_allows(policy, TEXT("/search/about")) == 1);
    }
    robotsieve_policy_free(policy);
}

static void profiles(void) {
    static const char file[] = "User-agent: *\nDisallow: /*.pdf\n";
    const int wanted[] = {0, 0, 0, 1};
    for (uint32_t profile = 0; profile < 4; profile++) {
        robotsieve_policy *policy = policy_of(file, "a", profile);
        CHECK(robotsieve_policy_allows(policy, TEXT("/a.pdf")) == wanted[profile]);
        /* In the profile of Google each text is a URL. */
        robotsieve_decision decision;
        robotsieve_status status =
            robotsieve_policy_decide(policy, TEXT("a.pdf"), &decision, NULL);
        CHECK((status == ROBOTSIEVE_STATUS_OK) == (profile == ROBOTSIEVE_PROFILE_GOOGLE));
        robotsieve_policy_free(policy);
    }
}

static robotsieve_decision decided(const char *file, const char *url) {
    robotsieve_policy *policy = policy_of(file, "a", RFC9309);
    robotsieve_decision decision;
    robotsieve_error error;
    CHECK(robotsieve_policy_decide(policy, TEXT(url), &decision, &error) == ROBOTSIEVE_STATUS_OK);
    CHECK(GOOD(error));
    robotsieve_policy_free(policy);
    return decision;
}

static void decisions(void) {
    robotsieve_policy *policy = policy_of(FILE_TEXT, "MyCrawler", RFC9309);
    robotsieve_decision decision;
    robotsieve_error error;
    CHECK(!robotsieve_policy_decide(policy, TEXT("/search?q"), &decision, &error) && GOOD(error));
    CHECK(decision.verdict == ROBOTSIEVE_ANSWER_DISALLOW);
    CHECK(decision.reason == ROBOTSIEVE_REASON_RULE && decision.line == 6);
    CHECK(decision.rule.len == 7 && memcmp(decision.rule.data, "/search", 7) == 0);

    decision.line = 77;
    CHECK(robotsieve_policy_decide(policy, TEXT("x"), &decision, &error) == ROBOTSIEVE_STATUS_URL);
    CHECK(FAILED(error, URL) && decision.line == 77);
    CHECK(strcmp(error.message, "invalid URL: expected scheme://authority… or a path that begins "
                                "with '/'") == 0);
    robotsieve_policy_free(policy);

    decision = decided("User-agent: b\nDisallow: /", "/");
    CHECK(decision.reason == ROBOTSIEVE_REASON_NO_GROUP && decision.line == 0);
    CHECK(decision.verdict == ROBOTSIEVE_ANSWER_ALLOW && decision.rule.len == 0);
    decision = decided("User-agent: *\nDisallow: /x", "/");
    CHECK(decision.reason == ROBOTSIEVE_REASON_NO_MATCH && decision.line == 0);
    decision = decided("User-agent: *\nDisallow:", "/");
    CHECK(decision.reason == ROBOTSIEVE_REASON_EMPTY_RULE && decision.line == 2);
    decision = decided("User-agent: *\nDisallow: /", "/robots.txt");
    CHECK(decision.reason == ROBOTSIEVE_REASON_ROBOTS_TXT && decision.line == 0);
    CHECK(decision.verdict == ROBOTSIEVE_ANSWER_ALLOW);
}

static void crawlers(void) {
    robotsieve_error error;
    /* A name that no line can name. */
    CHECK(!robotsieve_crawler_named(TEXT("GPTBot/1.0"), RFC9309, &error) && FAILED(error, NAME));
    CHECK(strcmp(error.message, "'GPTBot/1.0' is not a product token, so no group can name it; did "
                                "you mean 'GPTBot'?") == 0);
    /* It is one in the standard of 1994, but a policy of another profile does not take it. */
    robotsieve_crawler *old =
        robotsieve_crawler_named(TEXT("GPTBot/1.0"), ROBOTSIEVE_PROFILE_ORIGINAL_1994, &error);
    CHECK(old && GOOD(error));
    robotsieve_robots *robots = parsed(FILE_TEXT, RFC9309);
    CHECK(!robotsieve_policy_new(robots, old, &error) && FAILED(error, NAME));
    CHECK(!robotsieve_robots_explain(robots, old, TEXT("/"), NULL, &error) && FAILED(error, NAME));
    const robotsieve_crawler *olds[] = {old};
    CHECK(!robotsieve_set_new(olds, 1, RFC9309, &error) && FAILED(error, NAME));
    robotsieve_crawler_free(old);

    /* Of several names the first that has a group decides. */
    static const char news[] = "User-agent: Googlebot\nDisallow: /g\n\nUser-agent: Googlebot-News\nDisallow: /n\n";
    robotsieve_policy *policy = policy_of(news, "Googlebot-News,Googlebot", RFC9309);
    CHECK(robotsieve_policy_allows(policy, TEXT("/g")) && !robotsieve_policy_allows(policy, TEXT("/n")));
    robotsieve_policy_free(policy);

    /* A header. */
    static const char header[] = "Mozilla/5.0 (compatible; GPTBot/1.1; +https://openai.com/gptbot)";
    robotsieve_crawler *gptbot = robotsieve_crawler_from_user_agent(TEXT(header), &error);
    CHECK(gptbot && GOOD(error));
    policy = robotsieve_policy_new(robots, gptbot, &error);
    CHECK(policy && !robotsieve_policy_allows(policy, TEXT("/")));
    robotsieve_policy_free(policy);
    size_t len;
    char *why = robotsieve_robots_explain(robots, gptbot, TEXT("/"), &len, &error);
    CHECK(why && GOOD(error) && strlen(why) == len);
    CHECK(strstr(why, "\"agent\":\"Mozilla/5.0 (compatible; GPTBot/1.1;") != NULL);
    CHECK(strstr(why, "\"user_agent\":true") != NULL);
    robotsieve_free(why);
    robotsieve_crawler_free(gptbot);
    robotsieve_robots_free(robots);
}

static void explanations(void) {
    robotsieve_error error;
    robotsieve_robots *robots = parsed(FILE_TEXT, RFC9309);
    robotsieve_crawler *crawler = crawler_named("MyCrawler", RFC9309);
    char *why = robotsieve_robots_explain(robots, crawler, TEXT("/search"), NULL, &error);
    CHECK(why && GOOD(error));
    CHECK(strstr(why, "{\"schema\":\"robotsieve-report-1\",\"report\":\"explain\",") == why);
    CHECK(strstr(why, "\"verdict\":\"disallow\",\"reason\":\"rule\",\"line\":6,") != NULL);
    robotsieve_free(why);
    CHECK(!robotsieve_robots_explain(robots, crawler, TEXT("x"), NULL, &error) && FAILED(error, URL));

    /* Sitemaps: as many as there is room for, and how many there are. */
    robotsieve_slice sitemaps[3] = {{NULL, 7}, {NULL, 7}, {NULL, 7}};
    CHECK(robotsieve_robots_sitemaps(robots, NULL, 0, &error) == 2 && GOOD(error));
    CHECK(robotsieve_robots_sitemaps(robots, sitemaps, 1, &error) == 2 && GOOD(error));
    CHECK(sitemaps[0].len == 25 && memcmp(sitemaps[0].data, "https://example.com/a.xml", 25) == 0);
    CHECK(sitemaps[1].len == 7);
    CHECK(robotsieve_robots_sitemaps(robots, sitemaps, 3, NULL) == 2);
    CHECK(memcmp(sitemaps[1].data, "https://example.com/b.xml", 25) == 0 && sitemaps[2].len == 7);
    robotsieve_crawler_free(crawler);
    robotsieve_robots_free(robots);

    size_t len;
    char *url = robotsieve_robots_txt_url(TEXT("HTTPS://Www.M\xC3\xBCller.eu:443/fisch?x"), &len, &error);
    CHECK(url && strcmp(url, "https://www.xn--mller-kva.eu/robots.txt") == 0 && len == strlen(url));
    robotsieve_free(url);
    CHECK(!robotsieve_robots_txt_url(TEXT("mailto:a@example.com"), NULL, &error) && FAILED(error, URL));
}

/* What a set and the pack that is made of it have in common. */
static const char *const URLS[] = {"https://a.example/x",  "https://a.example/y", "https://b.example/x",
                                   "https://c.example/x",  "https://d.example/",  "https://e.example/",
                                   "http://a.example/x",   "a.example/x",         "https://b.example/robots.txt"};
enum { URL_COUNT = sizeof URLS / sizeof *URLS };
/* For GPTBot and for MyCrawler. */
static const uint8_t WANTED[URL_COUNT * 2] = {0, 0, 0, 1, 0, 0, 1, 1, 3, 3, 3, 3, 3, 3, 2, 2, 1, 1};

static robotsieve_set *set_of_sites(void) {
    robotsieve_error error;
    robotsieve_crawler *names[2] = {crawler_named("GPTBot", RFC9309), crawler_named("MyCrawler", RFC9309)};
    const robotsieve_crawler *who[2] = {names[0], names[1]};
    robotsieve_set *set = robotsieve_set_new(who, 2, RFC9309, &error);
    CHECK(set && GOOD(error));
    static const char file[] = "User-agent: GPTBot\nDisallow: /\n\nUser-agent: *\nCrawl-delay: 4\nDisallow: /x\n";
#define PUT(url, kind, text)                                                                       \
    CHECK(robotsieve_set_put(set, TEXT(url), ROBOTSIEVE_SITE_##kind, TEXT(text), &error) ==        \
              ROBOTSIEVE_STATUS_OK &&                                                              \
          GOOD(error))
    PUT("https://a.example/any", FILE, file);
    PUT("https://b.example", DISALLOW_ALL, "");
    PUT("https://c.example", ALLOW_ALL, "");
    PUT("https://d.example", UNKNOWN, "");
    PUT("https://z.example", FILE, file);
#undef PUT
    for (int i = 0; i < 2; i++) robotsieve_crawler_free(names[i]);
    return set;
}

static void slices(robotsieve_slice *urls) {
    for (int i = 0; i < URL_COUNT; i++) urls[i] = SLICE(URLS[i]);
}

static void sets(void) {
    robotsieve_error error;
    robotsieve_set *set = set_of_sites();
    CHECK(robotsieve_set_len(set, &error) == 5 && GOOD(error));
    robotsieve_slice urls[URL_COUNT];
    slices(urls);
    uint8_t answers[URL_COUNT * 2];
    CHECK(!robotsieve_set_answers(set, urls, URL_COUNT, answers, sizeof answers, &error) && GOOD(error));
    CHECK(memcmp(answers, WANTED, sizeof WANTED) == 0);
    for (int i = 0; i < URL_COUNT * 2; i++) {
        CHECK(robotsieve_set_answer(set, i % 2, TEXT(URLS[i / 2]), &error) == WANTED[i] && GOOD(error));
    }
    CHECK(robotsieve_set_delay(set, 1, TEXT("https://a.example/"), &error) == 4 && GOOD(error));
    CHECK(robotsieve_set_delay(set, 0, TEXT("https://a.example/"), NULL) == 0);
    CHECK(robotsieve_set_delay(set, 0, TEXT("https://nowhere.example/"), NULL) == 0);

    CHECK(!robotsieve_set_remove(set, TEXT("https://a.example"), &error) && GOOD(error));
    CHECK(!robotsieve_set_remove(set, TEXT("https://a.example"), NULL));
    CHECK(robotsieve_set_answer(set, 1, TEXT(URLS[0]), NULL) == ROBOTSIEVE_ANSWER_UNKNOWN);
    CHECK(robotsieve_set_answer(set, 1, TEXT("https://z.example/x"), NULL) == ROBOTSIEVE_ANSWER_DISALLOW);
    CHECK(robotsieve_set_len(set, NULL) == 4);
    robotsieve_set_free(set);

    /* Without a crawler, and with more than the usual few. */
    set = robotsieve_set_new(NULL, 0, RFC9309, &error);
    CHECK(set && !robotsieve_set_answers(set, urls, URL_COUNT, NULL, 0, &error));
    robotsieve_set_free(set);
    robotsieve_crawler *crawler = crawler_named("GPTBot", RFC9309);
    const robotsieve_crawler *many[40];
    for (int i = 0; i < 40; i++) many[i] = crawler;
    set = robotsieve_set_new(many, 40, RFC9309, &error);
    CHECK(!robotsieve_set_put(set, TEXT(URLS[0]), ROBOTSIEVE_SITE_DISALLOW_ALL, NULL, 0, &error));
    CHECK(robotsieve_set_answer(set, 39, TEXT(URLS[0]), &error) == ROBOTSIEVE_ANSWER_DISALLOW);
    robotsieve_set_free(set);
    robotsieve_crawler_free(crawler);
}

static void check_pack(const robotsieve_pack *pack) {
    robotsieve_error error;
    CHECK(!robotsieve_pack_verify(pack, &error) && GOOD(error));
    CHECK(robotsieve_pack_crawler_count(pack) == 2);
    robotsieve_crawler *crawler = crawler_named("MyCrawler", RFC9309);
    CHECK(robotsieve_pack_find_crawler(pack, crawler, &error) == 1 && GOOD(error));
    robotsieve_crawler_free(crawler);
    crawler = crawler_named("Other", RFC9309);
    CHECK(robotsieve_pack_find_crawler(pack, crawler, &error) == SIZE_MAX && GOOD(error));
    robotsieve_crawler_free(crawler);

    robotsieve_slice urls[URL_COUNT];
    slices(urls);
    uint8_t answers[URL_COUNT * 2];
    CHECK(!robotsieve_pack_answers(pack, NULL, 0, urls, URL_COUNT, answers, sizeof answers, &error));
    CHECK(GOOD(error) && memcmp(answers, WANTED, sizeof WANTED) == 0);
    const size_t one[] = {1};
    CHECK(!robotsieve_pack_answers(pack, one, 1, urls, URL_COUNT, answers, URL_COUNT, &error));
    for (int i = 0; i < URL_COUNT; i++) CHECK(answers[i] == WANTED[2 * i + 1]);
    for (int i = 0; i < URL_COUNT * 2; i++) {
        CHECK(robotsieve_pack_answer(pack, i % 2, TEXT(URLS[i / 2]), &error) == WANTED[i] && GOOD(error));
    }
    CHECK(robotsieve_pack_delay(pack, 1, TEXT("https://a.example/"), &error) == 4 && GOOD(error));
    CHECK(robotsieve_pack_delay(pack, 1, TEXT("https://d.example/"), &error) == 0 && GOOD(error));
    CHECK(robotsieve_pack_delay(pack, 1, TEXT("https://nowhere.example/"), &error) == 0 && GOOD(error));
}

static void packs(void) {
    robotsieve_error error;
    robotsieve_set *set = set_of_sites();
    size_t len;
    char *bytes = robotsieve_set_pack(set, &len, &error);
    CHECK(bytes && GOOD(error));
    robotsieve_set_free(set);

    robotsieve_slice file = {bytes, len};
    robotsieve_pack *pack = robotsieve_pack_open(&file, 1, &error);
    CHECK(pack && GOOD(error));
    check_pack(pack);
    robotsieve_pack_free(pack);

    char path[] = "/tmp/robotsieve-XXXXXX";
    int descriptor = mkstemp(path);
    FILE *out = descriptor < 0 ? NULL : fdopen(descriptor, "w");
    CHECK(out && fwrite(bytes, 1, len, out) == len && fclose(out) == 0);
    robotsieve_slice name = SLICE(path);
    pack = robotsieve_pack_open_files(&name, 1, &error);
    CHECK(pack && GOOD(error));
    /* It stays while it is open. */
    CHECK(remove(path) == 0);
    check_pack(pack);
    robotsieve_pack_free(pack);
    CHECK(!robotsieve_pack_open_files(&name, 1, &error) && FAILED(error, FILE));
    CHECK(strstr(error.message, path) != NULL);
    name = SLICE("/dev/null");
    CHECK(!robotsieve_pack_open_files(&name, 1, &error) && FAILED(error, FILE));

    /* Each byte changed, and each length: an error, or other answers, and nothing worse. */
    char *copy = malloc(len);
    for (size_t i = 0; i < len; i++) {
        memcpy(copy, bytes, len);
        copy[i] ^= 0x41;
        file = (robotsieve_slice){copy, len};
        pack = robotsieve_pack_open(&file, 1, &error);
        CHECK(pack ? GOOD(error) : FAILED(error, PACK));
        robotsieve_slice urls[URL_COUNT];
        slices(urls);
        uint8_t answers[URL_COUNT * 2];
        if (pack) {
            robotsieve_status status =
                robotsieve_pack_answers(pack, NULL, 0, urls, URL_COUNT, answers, sizeof answers, &error);
            CHECK(status == ROBOTSIEVE_STATUS_OK || FAILED(error, PACK) || FAILED(error, ARGUMENT));
            status = robotsieve_pack_verify(pack, &error);
            CHECK(status == error.status);
        }
        robotsieve_pack_free(pack);
    }
    free(copy);
    for (size_t i = 0; i < len; i++) {
        file.data = bytes, file.len = i;
        CHECK(!robotsieve_pack_open(&file, 1, &error) && FAILED(error, PACK));
    }
    CHECK(!robotsieve_pack_open(NULL, 0, &error) && FAILED(error, PACK));
    robotsieve_slice twice[2] = {{bytes, len}, {bytes, len}};
    CHECK(!robotsieve_pack_open(twice, 2, &error) && FAILED(error, PACK));
    robotsieve_free(bytes);
}

int main(void) {
    versions();
    policies();
    profiles();
    decisions();
    crawlers();
    explanations();
    sets();
    packs();
    return passed("interface");
}

/*
 * robotsieve: which URLs a robots.txt lets a crawler fetch.
 *
 *     robotsieve_error error;
 *     robotsieve_crawler *crawler =
 *         robotsieve_crawler_named("MyCrawler", 9, ROBOTSIEVE_PROFILE_RFC9309, &error);
 *     robotsieve_robots *robots =
 *         robotsieve_robots_parse(file, file_len, ROBOTSIEVE_PROFILE_RFC9309, &error);
 *     robotsieve_policy *policy = robotsieve_policy_new(robots, crawler, &error);
 *     if (robotsieve_policy_allows(policy, url, url_len)) fetch(url);
 *
 * docs/c.md is the guide. What holds for all functions:
 *
 * - Text is bytes with a length; no NUL is needed at the end. NULL is fine for a length of 0,
 *   but not for a crawler's name or header.
 * - Wrong arguments are errors: NULL, lengths that no memory has, numbers that an enumeration does not
 *   have. No function ends the process, unless memory runs out in small allocations, or a mapped file
 *   is cut.
 * - `error` may be NULL. If it is not, each call writes it, with `ROBOTSIEVE_STATUS_OK` if all went well.
 * - Each handle is freed once, by the function that ends in `_free`; none needs another one.
 * - All functions may be called by many threads at once, with the same handles too. Only freeing a
 *   handle must come after all its other uses. There is no global state that a caller can see.
 *
 * Made by cbindgen (capi/header.sh): change capi/src instead.
 */


#ifndef ROBOTSIEVE_H
#define ROBOTSIEVE_H

#include <stddef.h>
#include <stdint.h>

#ifndef ROBOTSIEVE_API
#if defined(_WIN32) && !defined(ROBOTSIEVE_STATIC)
#define ROBOTSIEVE_API __declspec(dllimport)
#else
#define ROBOTSIEVE_API
#endif
#endif

/**
 * The result of a call.
 */
typedef enum {
    /**
     * All went well.
     */
    ROBOTSIEVE_STATUS_OK = 0,
    /**
     * A pointer is NULL that must not be.
     */
    ROBOTSIEVE_STATUS_NULL_POINTER = 1,
    /**
     * Another argument is not what it may be: a length, a number of an enumeration, a count, a
     * pointer that is not aligned.
     */
    ROBOTSIEVE_STATUS_ARGUMENT = 2,
    /**
     * The crawler's name is none that a robots.txt can name; the message has the one that was
     * probably meant.
     */
    ROBOTSIEVE_STATUS_NAME = 3,
    /**
     * What was given is no URL; where a path may stand, it does not begin with `/` either.
     */
    ROBOTSIEVE_STATUS_URL = 4,
    /**
     * The bytes are not those of a pack, or the pack is damaged.
     */
    ROBOTSIEVE_STATUS_PACK = 5,
    /**
     * A file cannot be opened.
     */
    ROBOTSIEVE_STATUS_FILE = 6,
    /**
     * There is not enough memory.
     */
    ROBOTSIEVE_STATUS_MEMORY = 7,
    /**
     * A bug in robotsieve. The handles of the call can only be freed.
     */
    ROBOTSIEVE_STATUS_INTERNAL = 8,
} robotsieve_status;

/**
 * The answer for a URL and a crawler. Fetch a URL only if it is `ROBOTSIEVE_ANSWER_ALLOW`.
 */
typedef enum {
    /**
     * The crawler may not fetch it.
     */
    ROBOTSIEVE_ANSWER_DISALLOW = 0,
    /**
     * The crawler may fetch it.
     */
    ROBOTSIEVE_ANSWER_ALLOW = 1,
    /**
     * What was asked for is no URL, and no path that begins with `/`.
     */
    ROBOTSIEVE_ANSWER_INVALID = 2,
    /**
     * Nothing is known of its site.
     */
    ROBOTSIEVE_ANSWER_UNKNOWN = 3,
} robotsieve_answer;

/**
 * The reason for a verdict.
 */
typedef enum {
    /**
     * A rule matches, and none of higher precedence does.
     */
    ROBOTSIEVE_REASON_RULE = 0,
    /**
     * Allowed: no group of the file is for this crawler.
     */
    ROBOTSIEVE_REASON_NO_GROUP = 1,
    /**
     * Allowed: no rule of the crawler's groups matches.
     */
    ROBOTSIEVE_REASON_NO_MATCH = 2,
    /**
     * Allowed: the crawler's groups have only rules without a value, which restrict nothing.
     */
    ROBOTSIEVE_REASON_EMPTY_RULE = 3,
    /**
     * Allowed: robots.txt itself may always be fetched.
     */
    ROBOTSIEVE_REASON_ROBOTS_TXT = 4,
} robotsieve_reason;

/**
 * How a robots.txt is read where its readers differ. docs/profiles.md has every difference.
 */
typedef enum {
    /**
     * RFC 9309: the standard.
     */
    ROBOTSIEVE_PROFILE_RFC9309 = 0,
    /**
     * Google's parser, google/robotstxt, with its deviations.
     */
    ROBOTSIEVE_PROFILE_GOOGLE = 1,
    /**
     * Google's specification from before the RFC.
     */
    ROBOTSIEVE_PROFILE_GOOGLE_CLASSIC = 2,
    /**
     * The standard of 1994: the first match decides, and `*` is a plain character.
     */
    ROBOTSIEVE_PROFILE_ORIGINAL_1994 = 3,
} robotsieve_profile;

/**
 * What is known of a site.
 */
typedef enum {
    /**
     * Its robots.txt.
     */
    ROBOTSIEVE_SITE_FILE = 0,
    /**
     * Everything is allowed: it has no robots.txt.
     */
    ROBOTSIEVE_SITE_ALLOW_ALL = 1,
    /**
     * Nothing is allowed but `/robots.txt` itself, where the profile allows that: it cannot be
     * reached, or refuses.
     */
    ROBOTSIEVE_SITE_DISALLOW_ALL = 2,
    /**
     * Nothing is known.
     */
    ROBOTSIEVE_SITE_UNKNOWN = 3,
} robotsieve_site;

/**
 * A crawler: who asks.
 */
typedef struct robotsieve_crawler robotsieve_crawler;

/**
 * An open pack: the policies of many sites, used where their bytes are.
 */
typedef struct robotsieve_pack robotsieve_pack;

/**
 * The rules of a robots.txt for one crawler.
 */
typedef struct robotsieve_policy robotsieve_policy;

/**
 * A parsed robots.txt, with a copy of its bytes.
 */
typedef struct robotsieve_robots robotsieve_robots;

/**
 * The policies of some crawlers for many sites.
 */
typedef struct robotsieve_set robotsieve_set;

/**
 * What went wrong in a call. The caller has it, usually on the stack, and passes its address, or
 * NULL. Each call writes it anew, also when all went well. There is nothing to free.
 */
typedef struct {
    /**
     * The kind of failure, `ROBOTSIEVE_STATUS_OK` if there was none.
     */
    robotsieve_status status;
    /**
     * The failure in a sentence, in UTF-8, with a NUL at its end. A longer one is cut. Empty if all
     * went well.
     */
    char message[508];
} robotsieve_error;

/**
 * Bytes that lie elsewhere.
 */
typedef struct {
    /**
     * The first byte. May be NULL if there are none. No NUL is needed at the end.
     */
    const char *data;
    /**
     * The number of bytes.
     */
    size_t len;
} robotsieve_slice;

/**
 * A verdict with the reason for it.
 */
typedef struct {
    /**
     * `ROBOTSIEVE_ANSWER_ALLOW` or `ROBOTSIEVE_ANSWER_DISALLOW`.
     */
    robotsieve_answer verdict;
    /**
     * The reason for it.
     */
    robotsieve_reason reason;
    /**
     * The line that decided, counted from 1: of the rule, or of the first rule without a value. 0 if
     * none did.
     */
    uint32_t line;
    /**
     * The value of the rule as it stands in the file, such as `/private/`. Empty if no rule decided.
     * The bytes are the policy's: they stay until it is freed.
     */
    robotsieve_slice rule;
} robotsieve_decision;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * The version of the library, such as `0.1.0`. Static: never freed.
 */
ROBOTSIEVE_API const char *robotsieve_version(void);

#if defined(__wasm__)
/**
 * Allocates `len` bytes at an address that 16 divides, for a host that has no other memory than the
 * module's. `robotsieve_free` frees them. NULL if there is no more memory.
 */
ROBOTSIEVE_API void *robotsieve_alloc(size_t len);
#endif

/**
 * Frees memory that a function of this library gave to the caller: a text, or the bytes of a pack.
 * NULL is fine.
 */
ROBOTSIEVE_API void robotsieve_free(void *memory);

/**
 * Makes the crawler with a name: its product token, as a robots.txt names it, such as `MyCrawler`.
 * It may have several, from most to least specific, with commas between them and nothing else:
 * `Googlebot-News,Googlebot`.
 *
 * The names are checked: one that no robots.txt can name in this profile would silently obey the
 * group for everybody, and is an error. Give a whole User-Agent header to
 * `robotsieve_crawler_from_user_agent`. Make it once, when the program starts.
 *
 * Returns NULL if it fails: `ROBOTSIEVE_STATUS_NAME`.
 */
ROBOTSIEVE_API
robotsieve_crawler *robotsieve_crawler_named(const char *name,
                                             size_t name_len,
                                             uint32_t profile,
                                             robotsieve_error *error);

/**
 * Makes the crawler that sends this User-Agent header: its names are read from it. A header without
 * a name is that of a crawler that obeys the group for everybody. `O(n)`.
 *
 * Returns NULL if it fails.
 */
ROBOTSIEVE_API
robotsieve_crawler *robotsieve_crawler_from_user_agent(const char *header,
                                                       size_t header_len,
                                                       robotsieve_error *error);

/**
 * Frees a crawler. NULL is fine. What was made with it does not need it.
 */
ROBOTSIEVE_API void robotsieve_crawler_free(robotsieve_crawler *crawler);

/**
 * Parses a robots.txt. Any bytes are one; what no line should be is skipped, as the profile says. The
 * bytes are copied. `O(n)`.
 *
 * `profile` is one of `robotsieve_profile`. Returns NULL if it fails.
 */
ROBOTSIEVE_API
robotsieve_robots *robotsieve_robots_parse(const char *file,
                                           size_t file_len,
                                           uint32_t profile,
                                           robotsieve_error *error);

/**
 * Frees a parsed file. NULL is fine. Its policies do not need it.
 */
ROBOTSIEVE_API void robotsieve_robots_free(robotsieve_robots *robots);

/**
 * Writes the values of the first `capacity` lines `Sitemap` of the file, as they are written there,
 * and returns how many there are: ask with a capacity of 0 first, or ask again with more room.
 *
 * The bytes are the handle's: they stay until it is freed. `sitemaps` may be NULL if `capacity` is 0.
 * Returns 0 if it fails. Reads the file again, `O(n)`.
 */
ROBOTSIEVE_API
size_t robotsieve_robots_sitemaps(const robotsieve_robots *robots,
                                  robotsieve_slice *sitemaps,
                                  size_t capacity,
                                  robotsieve_error *error);

/**
 * Says why a crawler may or may not fetch a URL, or a path that begins with `/`: the group that
 * applies, the rules that match, the one that decides, the next one, and all in sentences. A JSON
 * document, the one that `robotsieve explain --format json` prints; docs/explain.md describes it.
 *
 * The text is UTF-8 and ends with a NUL, which `len` does not count; `len` may be NULL. Free it with
 * `robotsieve_free`. Returns NULL if it fails. Reads the file again: to explain, not to filter. A
 * document has some kB, but up to 70 bytes for each byte of a URL whose every byte has to be encoded.
 */
ROBOTSIEVE_API
char *robotsieve_robots_explain(const robotsieve_robots *robots,
                                const robotsieve_crawler *crawler,
                                const char *url,
                                size_t url_len,
                                size_t *len,
                                robotsieve_error *error);

/**
 * Makes the policy of a crawler: the rules of the groups that it obeys. `O(rules)` the first time;
 * crawlers that obey the same groups share one. A policy needs neither the file nor the crawler any
 * more.
 *
 * Returns NULL if it fails: `ROBOTSIEVE_STATUS_NAME` if the crawler was made for another profile, and
 * no robots.txt can name it in that of the file.
 */
ROBOTSIEVE_API
robotsieve_policy *robotsieve_policy_new(const robotsieve_robots *robots,
                                         const robotsieve_crawler *crawler,
                                         robotsieve_error *error);

/**
 * Frees a policy. NULL is fine.
 */
ROBOTSIEVE_API void robotsieve_policy_free(robotsieve_policy *policy);

/**
 * Returns 1 if the crawler may fetch a URL, or a path that begins with `/`, and 0 if not. Also 0 if
 * the URL is none, or if an argument is wrong: `robotsieve_policy_answers` tells these apart.
 *
 * `O(n)`, and stops as soon as the verdict is final; some tens of nanoseconds for a URL of common
 * length. Allocates nothing. A policy that is asked often compiles itself once, which takes
 * microseconds for a common file.
 */
ROBOTSIEVE_API
int robotsieve_policy_allows(const robotsieve_policy *policy,
                             const char *url,
                             size_t url_len);

/**
 * Writes an answer for each of many URLs, or paths that begin with `/`: a byte, one of
 * `robotsieve_answer`.
 *
 * `answers` has room for `answer_count` bytes, which must be `url_count`. That it lies in the
 * memory of the URLs is an error. On an error that is not `ROBOTSIEVE_STATUS_INTERNAL` nothing is written.
 */
ROBOTSIEVE_API
robotsieve_status robotsieve_policy_answers(const robotsieve_policy *policy,
                                            const robotsieve_slice *urls,
                                            size_t url_count,
                                            uint8_t *answers,
                                            size_t answer_count,
                                            robotsieve_error *error);

/**
 * Decides on a URL, or on a path that begins with `/`: the verdict, and the line of the file that it
 * comes from.
 *
 * Tries the rules one by one to find the one that decided: to explain, not to filter. On an error,
 * `ROBOTSIEVE_STATUS_URL` among them, nothing is written to `decision`.
 */
ROBOTSIEVE_API
robotsieve_status robotsieve_policy_decide(const robotsieve_policy *policy,
                                           const char *url,
                                           size_t url_len,
                                           robotsieve_decision *decision,
                                           robotsieve_error *error);

/**
 * The seconds to wait between the beginnings of two requests, as the file asks the crawler: the longer
 * of its `Crawl-delay` and its `Request-rate`, a day at most. 0 if it asks for nothing, or if `policy`
 * is NULL.
 */
ROBOTSIEVE_API
double robotsieve_policy_delay(const robotsieve_policy *policy);

/**
 * Makes an empty set for these crawlers, whose files are read in this profile. Sites with equal files
 * share their policies; a site takes some 60 to 90 bytes beside them.
 *
 * The crawlers are copied. Any number of threads may ask a set, and change it, at the same time: a
 * change waits for the questions under way, and they for it.
 *
 * Returns NULL if it fails, also if there are more than 4096 crawlers.
 */
ROBOTSIEVE_API
robotsieve_set *robotsieve_set_new(const robotsieve_crawler *const *crawlers,
                                   size_t crawler_count,
                                   uint32_t profile,
                                   robotsieve_error *error);

/**
 * Frees a set. NULL is fine.
 */
ROBOTSIEVE_API void robotsieve_set_free(robotsieve_set *set);

/**
 * Sets what is known of a site, in place of what was known: its robots.txt, or one of the other kinds
 * of `robotsieve_site`, which have no file (NULL and 0). Any URL names the site: its scheme, host and
 * port count.
 *
 * The file is not kept. It is parsed and compiled unless another site has an equal one: some tens of
 * microseconds for a common file.
 */
ROBOTSIEVE_API
robotsieve_status robotsieve_set_put(robotsieve_set *set,
                                     const char *url,
                                     size_t url_len,
                                     uint32_t site,
                                     const char *file,
                                     size_t file_len,
                                     robotsieve_error *error);

/**
 * Removes the site of a URL. Its answers are `ROBOTSIEVE_ANSWER_UNKNOWN` from then on. Fine if it is not
 * there.
 */
ROBOTSIEVE_API
robotsieve_status robotsieve_set_remove(robotsieve_set *set,
                                        const char *url,
                                        size_t url_len,
                                        robotsieve_error *error);

/**
 * The number of sites in a set. 0 if it fails.
 */
ROBOTSIEVE_API size_t robotsieve_set_len(const robotsieve_set *set, robotsieve_error *error);

/**
 * The answer for a URL and a crawler, which is given by its index in the order of
 * `robotsieve_set_new`. `ROBOTSIEVE_ANSWER_UNKNOWN` if the site is not in the set, and if it fails.
 * Of several crawlers, ask with `robotsieve_set_answers`.
 */
ROBOTSIEVE_API
robotsieve_answer robotsieve_set_answer(const robotsieve_set *set,
                                        size_t crawler,
                                        const char *url,
                                        size_t url_len,
                                        robotsieve_error *error);

/**
 * Writes the answers for many URLs of any sites: for each a row, with a byte for each crawler in the
 * order of `robotsieve_set_new`, one of `robotsieve_answer`. Much faster than one by one, because the
 * waits for memory overlap.
 *
 * `answers` has room for `answer_count` bytes, which must be the number of URLs times that of
 * crawlers. That it lies in the memory of the URLs is an error.
 */
ROBOTSIEVE_API
robotsieve_status robotsieve_set_answers(const robotsieve_set *set,
                                         const robotsieve_slice *urls,
                                         size_t url_count,
                                         uint8_t *answers,
                                         size_t answer_count,
                                         robotsieve_error *error);

/**
 * The seconds to wait between the beginnings of two requests to the site of a URL, as its file asks a
 * crawler: see `robotsieve_policy_delay`. 0 if it asks for nothing or is not in the set, and if it
 * fails.
 */
ROBOTSIEVE_API
double robotsieve_set_delay(const robotsieve_set *set,
                            size_t crawler,
                            const char *url,
                            size_t url_len,
                            robotsieve_error *error);

/**
 * Writes a set as a pack, the format of docs/pack.md: to keep it in a file, to share it between
 * processes, or to open it with `robotsieve_pack_open`. Nothing is compiled again.
 *
 * `len`, which must not be NULL, gets the number of bytes. Free them with `robotsieve_free`. Returns
 * NULL if it fails.
 */
ROBOTSIEVE_API
void *robotsieve_set_pack(const robotsieve_set *set,
                          size_t *len,
                          robotsieve_error *error);

/**
 * Opens a pack that is in memory: the bytes of its file, or of all its files if it has several, in any
 * order. `robotsieve pack` and `robotsieve_set_pack` make packs.
 *
 * The bytes are not copied: they must stay, and stay as they are, until the pack is freed. A damaged or
 * hostile pack leads to errors and nothing worse, but whoever wrote it decides its answers.
 *
 * Reads only the beginning and the end; everything else is checked when it is first used. Returns NULL
 * if it fails: `ROBOTSIEVE_STATUS_PACK`.
 */
ROBOTSIEVE_API
robotsieve_pack *robotsieve_pack_open(const robotsieve_slice *files,
                                      size_t file_count,
                                      robotsieve_error *error);

#if !defined(__wasm__)
/**
 * Opens a pack by the path of its file, or by the paths of all its files if it has several, in any
 * order. The files are mapped into memory: only the parts that are asked for become resident, and
 * processes share them. On Windows a path is UTF-8.
 *
 * Replace a pack by renaming a new file over it, or update it with `robotsieve pack update`, which
 * writes only behind the end of a file: whoever has it open sees it as it was. No program may change
 * or cut the bytes of a file while it is mapped; cutting it ends the process. What an update has not
 * completed is left out.
 *
 * Returns NULL if it fails: `ROBOTSIEVE_STATUS_FILE` or `ROBOTSIEVE_STATUS_PACK`.
 */
ROBOTSIEVE_API
robotsieve_pack *robotsieve_pack_open_files(const robotsieve_slice *paths,
                                            size_t path_count,
                                            robotsieve_error *error);
#endif

/**
 * Frees a pack. NULL is fine. The bytes that it was opened from are the caller's again.
 */
ROBOTSIEVE_API void robotsieve_pack_free(robotsieve_pack *pack);

/**
 * Checks all of a pack, `O(n)`: before it is trusted for long, not each time that it is opened.
 */
ROBOTSIEVE_API
robotsieve_status robotsieve_pack_verify(const robotsieve_pack *pack,
                                         robotsieve_error *error);

/**
 * The number of crawlers that a pack has policies for. 0 if `pack` is NULL.
 */
ROBOTSIEVE_API size_t robotsieve_pack_crawler_count(const robotsieve_pack *pack);

/**
 * The index of a crawler in a pack: the first with the same names. `SIZE_MAX` if there is none, and if
 * it fails.
 */
ROBOTSIEVE_API
size_t robotsieve_pack_find_crawler(const robotsieve_pack *pack,
                                    const robotsieve_crawler *crawler,
                                    robotsieve_error *error);

/**
 * The answer for a URL and a crawler, which is given by its index. `ROBOTSIEVE_ANSWER_UNKNOWN` if the site is
 * not in the pack, and if it fails: `ROBOTSIEVE_STATUS_PACK` if what was read is damaged.
 */
ROBOTSIEVE_API
robotsieve_answer robotsieve_pack_answer(const robotsieve_pack *pack,
                                         size_t crawler,
                                         const char *url,
                                         size_t url_len,
                                         robotsieve_error *error);

/**
 * Writes the answers for many URLs of any sites: for each a row, with a byte for each of these
 * crawlers, one of `robotsieve_answer`. The crawlers are given by their indexes; NULL and 0 stand for
 * all, in their order. Much faster than one by one, because the waits for memory overlap.
 *
 * `answers` has room for `answer_count` bytes, which must be the number of URLs times that of
 * crawlers. That it lies in the memory of the URLs is an error. If a part that is read is damaged, the
 * answers that need it are `ROBOTSIEVE_ANSWER_UNKNOWN`, all others are written, and the status is
 * `ROBOTSIEVE_STATUS_PACK`.
 */
ROBOTSIEVE_API
robotsieve_status robotsieve_pack_answers(const robotsieve_pack *pack,
                                          const size_t *crawlers,
                                          size_t crawler_count,
                                          const robotsieve_slice *urls,
                                          size_t url_count,
                                          uint8_t *answers,
                                          size_t answer_count,
                                          robotsieve_error *error);

/**
 * The seconds to wait between the beginnings of two requests to the site of a URL, as its file asks a
 * crawler: see `robotsieve_policy_delay`. 0 if it asks for nothing or is not in the pack, and if it
 * fails.
 */
ROBOTSIEVE_API
double robotsieve_pack_delay(const robotsieve_pack *pack,
                             size_t crawler,
                             const char *url,
                             size_t url_len,
                             robotsieve_error *error);

/**
 * The URL of the robots.txt that governs a URL: where to fetch it. Scheme, host and port decide; the
 * host is in lower case and in Punycode. Two URLs with the same answer are of the same site.
 *
 * The text ends with a NUL, which `len` does not count; `len` may be NULL. Free it with
 * `robotsieve_free`. Returns NULL if it fails: `ROBOTSIEVE_STATUS_URL` if the URL is not one of http,
 * https or ftp.
 */
ROBOTSIEVE_API
char *robotsieve_robots_txt_url(const char *url,
                                size_t url_len,
                                size_t *len,
                                robotsieve_error *error);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* ROBOTSIEVE_H */
/* Digest: 8a6f1d86918038288db1142f672e6cf7 */

// Says of each URL on standard input whether a crawler may fetch it, and which line of the robots.txt
// decides:
//
//     c++ -std=c++17 filter.cpp $(pkg-config --cflags --libs robotsieve) -o filter
//     ./filter robots.txt MyCrawler <urls.txt

#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <robotsieve.h>

// Frees a handle.
template <auto free> struct Free {
    template <class Handle> void operator()(Handle *handle) const { free(handle); }
};
using Crawler = std::unique_ptr<robotsieve_crawler, Free<robotsieve_crawler_free>>;
using Robots = std::unique_ptr<robotsieve_robots, Free<robotsieve_robots_free>>;
using Policy = std::unique_ptr<robotsieve_policy, Free<robotsieve_policy_free>>;

// What was made, or an exception.
template <class Owner, class Make> Owner made(Make make) {
    robotsieve_error error;
    Owner handle(make(&error));
    if (!handle) throw std::runtime_error(error.message);
    return handle;
}

static Policy policy_of(const std::string &file, const std::string &name) {
    auto crawler = made<Crawler>([&](auto *error) {
        return robotsieve_crawler_named(name.data(), name.size(), ROBOTSIEVE_PROFILE_RFC9309, error);
    });
    auto robots = made<Robots>([&](auto *error) {
        return robotsieve_robots_parse(file.data(), file.size(), ROBOTSIEVE_PROFILE_RFC9309, error);
    });
    return made<Policy>(
        [&](auto *error) { return robotsieve_policy_new(robots.get(), crawler.get(), error); });
}

static void filter(const char *path, const char *name) {
    std::ifstream in(path, std::ios::binary);
    std::string file(std::istreambuf_iterator<char>(in), {});
    auto policy = policy_of(file, name);

    // All verdicts in one call. Only those that somebody reads are explained.
    std::vector<std::string> lines;
    for (std::string line; std::getline(std::cin, line);) lines.push_back(line);
    std::vector<robotsieve_slice> urls;
    for (const auto &line : lines) urls.push_back({line.data(), line.size()});
    std::vector<uint8_t> answers(urls.size());
    robotsieve_error error;
    if (robotsieve_policy_answers(policy.get(), urls.data(), urls.size(), answers.data(),
                                  answers.size(), &error) != ROBOTSIEVE_STATUS_OK) {
        throw std::runtime_error(error.message);
    }
    static const char *const names[] = {"disallow", "allow", "invalid", "unknown"};
    for (std::size_t i = 0; i < lines.size(); i++) {
        robotsieve_decision decision{};
        robotsieve_policy_decide(policy.get(), urls[i].data, urls[i].len, &decision, nullptr);
        std::cout << names[answers[i]] << ' ' << decision.line << ' ' << lines[i] << '\n';
    }
    std::cout << "delay " << robotsieve_policy_delay(policy.get()) << '\n';
}

int main(int argc, char **argv) {
    if (argc != 3) return 2;
    try {
        filter(argv[1], argv[2]);
    } catch (const std::exception &error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}

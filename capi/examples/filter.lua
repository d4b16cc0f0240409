-- Says of each URL on standard input whether a crawler may fetch it, and which line of the robots.txt
-- decides:
--
--     luajit filter.lua robots.txt MyCrawler <urls.txt

local ffi = require("ffi")
ffi.cdef([[
typedef struct { int status; char message[508]; } robotsieve_error;
typedef struct { const char *data; size_t len; } robotsieve_slice;
typedef struct { int verdict; int reason; uint32_t line; robotsieve_slice rule; } robotsieve_decision;
typedef struct robotsieve_crawler robotsieve_crawler;
typedef struct robotsieve_robots robotsieve_robots;
typedef struct robotsieve_policy robotsieve_policy;
robotsieve_crawler *robotsieve_crawler_named(const char *, size_t, uint32_t, robotsieve_error *);
robotsieve_robots *robotsieve_robots_parse(const char *, size_t, uint32_t, robotsieve_error *);
robotsieve_policy *robotsieve_policy_new(const robotsieve_robots *, const robotsieve_crawler *, robotsieve_error *);
int robotsieve_policy_decide(const robotsieve_policy *, const char *, size_t, robotsieve_decision *, robotsieve_error *);
double robotsieve_policy_delay(const robotsieve_policy *);
void robotsieve_crawler_free(robotsieve_crawler *);
void robotsieve_robots_free(robotsieve_robots *);
void robotsieve_policy_free(robotsieve_policy *);
]])
local lib = ffi.load("librobotsieve.so.0.1")
local RFC9309, ALLOW = 0, 1

local failed = ffi.new("robotsieve_error")
-- What was made, which the garbage collector frees, or an error.
local function made(handle, free)
  if handle == nil then
    error(ffi.string(failed.message), 0)
  end
  return ffi.gc(handle, free)
end

local path, name = arg[1], arg[2]
local input = assert(io.open(path, "rb"))
local file = input:read("*a")
input:close()
local crawler = made(lib.robotsieve_crawler_named(name, #name, RFC9309, failed), lib.robotsieve_crawler_free)
local robots = made(lib.robotsieve_robots_parse(file, #file, RFC9309, failed), lib.robotsieve_robots_free)
local policy = made(lib.robotsieve_policy_new(robots, crawler, failed), lib.robotsieve_policy_free)

local decision = ffi.new("robotsieve_decision")
for url in io.lines() do
  if lib.robotsieve_policy_decide(policy, url, #url, decision, nil) ~= 0 then
    print("invalid 0 " .. url)
  else
    print((decision.verdict == ALLOW and "allow " or "disallow ") .. decision.line .. " " .. url)
  end
end
print("delay " .. lib.robotsieve_policy_delay(policy))

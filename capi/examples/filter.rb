# Says of each URL on standard input whether a crawler may fetch it, and which line of the robots.txt
# decides:
#
#     ruby filter.rb robots.txt MyCrawler <urls.txt

require "fiddle/import"

module Robotsieve
  extend Fiddle::Importer
  dlload "librobotsieve.so.0.1"

  Error = struct ["int status", "char message[508]"]
  # The rule is a slice: an address and a length.
  Decision = struct ["int verdict", "int reason", "unsigned int line", "void *rule", "size_t rule_len"]

  extern "void *robotsieve_crawler_named(const char *, size_t, unsigned int, void *)"
  extern "void *robotsieve_robots_parse(const char *, size_t, unsigned int, void *)"
  extern "void *robotsieve_policy_new(void *, void *, void *)"
  extern "int robotsieve_policy_decide(void *, const char *, size_t, void *, void *)"
  extern "double robotsieve_policy_delay(void *)"
  extern "void robotsieve_crawler_free(void *)"
  extern "void robotsieve_robots_free(void *)"
  extern "void robotsieve_policy_free(void *)"

  RFC9309 = 0
  ALLOW = 1

  # What was made, or an exception.
  def self.made
    error = Error.malloc(Fiddle::RUBY_FREE)
    handle = yield error
    raise ArgumentError, error.message.pack("c*").unpack1("Z*") if handle.null?

    handle
  end
end

path, name = ARGV
file = File.binread(path)
crawler = Robotsieve.made { |error| Robotsieve.robotsieve_crawler_named(name, name.bytesize, Robotsieve::RFC9309, error) }
robots = Robotsieve.made { |error| Robotsieve.robotsieve_robots_parse(file, file.bytesize, Robotsieve::RFC9309, error) }
policy = Robotsieve.made { |error| Robotsieve.robotsieve_policy_new(robots, crawler, error) }
Robotsieve.robotsieve_robots_free(robots)
Robotsieve.robotsieve_crawler_free(crawler)

decision = Robotsieve::Decision.malloc(Fiddle::RUBY_FREE)
$stdin.each_line(chomp: true) do |url|
  status = Robotsieve.robotsieve_policy_decide(policy, url, url.bytesize, decision, nil)
  if status.zero?
    puts "#{decision.verdict == Robotsieve::ALLOW ? "allow" : "disallow"} #{decision.line} #{url}"
  else
    puts "invalid 0 #{url}"
  end
end
puts "delay #{Robotsieve.robotsieve_policy_delay(policy)}"
Robotsieve.robotsieve_policy_free(policy)

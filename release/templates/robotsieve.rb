class Robotsieve < Formula
  desc "Decides which URLs a robots.txt allows, and says why"
  homepage "https://github.com/robotsieve/robotsieve"
  version "@version@"
  license any_of: ["MIT", "Apache-2.0"]

  on_macos do
    on_arm do
      url "@url robotsieve-VERSION-aarch64-apple-darwin.tar.gz@"
      sha256 "@sum robotsieve-VERSION-aarch64-apple-darwin.tar.gz@"
    end
    on_intel do
      url "@url robotsieve-VERSION-x86_64-apple-darwin.tar.gz@"
      sha256 "@sum robotsieve-VERSION-x86_64-apple-darwin.tar.gz@"
    end
  end

  on_linux do
    on_arm do
      url "@url robotsieve-VERSION-aarch64-unknown-linux-musl.tar.gz@"
      sha256 "@sum robotsieve-VERSION-aarch64-unknown-linux-musl.tar.gz@"
    end
    on_intel do
      url "@url robotsieve-VERSION-x86_64-unknown-linux-musl.tar.gz@"
      sha256 "@sum robotsieve-VERSION-x86_64-unknown-linux-musl.tar.gz@"
    end
  end

  def install
    bin.install "robotsieve"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/robotsieve.bash" => "robotsieve"
    zsh_completion.install "completions/_robotsieve"
    fish_completion.install "completions/robotsieve.fish"
  end

  test do
    (testpath/"robots.txt").write "User-agent: *\nDisallow: /search\n"
    assert_equal "disallow\t/search\n", shell_output("#{bin}/robotsieve check robots.txt GPTBot /search", 1)
  end
end

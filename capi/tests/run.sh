#!/usr/bin/env bash
# Tests the C library as capi/install.sh has installed it:
#
#     capi/tests/run.sh [PREFIX [LANGUAGE...]]      # target/capi and all languages, if none is named
#
# With AddressSanitizer and UndefinedBehaviorSanitizer, under valgrind, linked statically too, as C99 and
# C++; all verdicts of the corpus, if there is one; the guide; and the examples in each language, for which
# their compilers and interpreters are needed (see the step `capi` of .ci/run).
#
# ROBOTSIEVE_COMMAND is the command whose explanations must be those of the library.
set -euo pipefail
tests=$(cd "$(dirname "$0")" && pwd)
cd "$tests/../.."
prefix=$(cd "${1:-target/capi}" && pwd)
command=$(realpath "${ROBOTSIEVE_COMMAND:-target/debug/robotsieve}")
corpus=${ROBOTSIEVE_CORPUS:-../shared/corpus}
built=$PWD/target/capi-tests
# Those of the examples, as their files end; `c` stands for C and C++.
languages=("${@:2}")
[ "${#languages[@]}" -gt 0 ] || languages=(c go cs java lua php python ruby)
mkdir -p "$built"
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig LD_LIBRARY_PATH=$prefix/lib

version=$(pkg-config --modversion robotsieve)
read -ra found <<<"$(pkg-config --cflags robotsieve)"
flags=(-Wall -Wextra -Wpedantic -Werror -g -O1 "-DVERSION=\"$version\"" "${found[@]}")
read -ra shared <<<"$(pkg-config --libs robotsieve)"

echo "-- the library: $(stat -Lc %s "$prefix/lib/librobotsieve.so") bytes, the static one $(stat -Lc %s "$prefix/lib/librobotsieve.a")"
# It has the functions of the header and no others, and the name that the links have.
diff <(nm -D --defined-only "$prefix/lib/librobotsieve.so" | awk '{ print $3 }' | sort) \
    <(gcc -E -P "$prefix/include/robotsieve.h" | grep -o '\brobotsieve_[a-z_]*(' | tr -d '(' | sort)
soname=$(readelf -d "$prefix/lib/librobotsieve.so" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')
[ -e "$prefix/lib/$soname" ] || { echo "the library is called $soname, but no file is" >&2 && exit 1; }

echo "-- the header as C99 and C++11"
echo '#include <robotsieve.h>' | tee "$built/header.c" >"$built/header.cpp"
gcc -std=c99 "${flags[@]}" -c "$built/header.c" -o "$built/header.o"
g++ -std=c++11 "${flags[@]}" -c "$built/header.cpp" -o "$built/header.o"

for test in interface hostile threads; do
    echo "-- $test: sanitizers, valgrind"
    gcc -std=gnu11 "${flags[@]}" -fsanitize=address,undefined -fno-sanitize-recover=all "$tests/$test.c" \
        -o "$built/$test-sanitized" "${shared[@]}" -pthread
    "$built/$test-sanitized"
    gcc -std=gnu11 "${flags[@]}" "$tests/$test.c" -o "$built/$test" "${shared[@]}" -pthread
    # Threads are slow there, so they go round less often.
    valgrind --quiet --error-exitcode=1 --leak-check=full --show-leak-kinds=all --errors-for-leak-kinds=all \
        "$built/$test" 10
done

echo "-- linked statically"
read -ra static <<<"$(pkg-config --static --libs-only-l robotsieve | sed 's/-lrobotsieve //')"
gcc -std=gnu11 "${flags[@]}" "$tests/interface.c" -o "$built/interface-static" "$prefix/lib/librobotsieve.a" "${static[@]}"
env -u LD_LIBRARY_PATH "$built/interface-static"

echo "-- the corpus"
if [ -e "$corpus/verdicts.google.tsv.gz" ]; then
    gcc -std=gnu11 "${flags[@]}" "$tests/corpus.c" -o "$built/corpus" "${shared[@]}"
    gunzip -c "$corpus/verdicts.google.tsv.gz" | "$built/corpus" "$corpus/robots"
else
    echo "not in $corpus, skipped"
fi

echo "-- explanations are those of $command"
gcc -std=gnu11 "${flags[@]}" "$tests/explain.c" -o "$built/explain" "${shared[@]}"
python3 - "$built/explain" "$command" <<'END'
import json, subprocess, sys, tempfile
explain, command = sys.argv[1:]
print_of = lambda *arguments: json.loads(subprocess.run(arguments, stdout=subprocess.PIPE).stdout)
count = 0
for file in ["corpora/robots/news.example.txt", "docs/example.txt", "/dev/null"]:
    for kind, crawler in [("name", "GPTBot"), ("name", "Googlebot-News,Googlebot"), ("header", "Mozilla/5.0 (compatible; bot/2.1)")]:
        for url in ["https://news.example/", "/a%7e.pdf", "https://news.example/search?q=x#y", "/robots.txt"]:
            who = ["--user-agent", crawler, file] if kind == "header" else [file, crawler]
            theirs = print_of(command, "explain", "--format", "json", *who, url)
            # The library is not told the name of the file.
            assert print_of(explain, file, kind, crawler, url) == theirs | {"robots": None}, (file, crawler, url)
            count += 1
print(f"{count} explanations")
# The table of answers that the tests of the command, of Python and of Node read too.
cases = [case for case in json.load(open("corpora/answers.json")) if {"file", "file_hex"} & case.keys()]
for case in cases:
    file = case["file"].encode() if "file" in case else bytes.fromhex(case["file_hex"])
    with tempfile.NamedTemporaryFile() as given:
        given.write(file), given.flush()
        for url, wanted in [("/private", case["private"]), ("/", case["root"])]:
            found = print_of(explain, given.name, "name", "FooBot", url)["verdict"]
            assert found == wanted, (case["id"], url, found)
print(f"{len(cases)} files of corpora/answers.json")
END

echo "-- the guide"
python3 "$tests/guide.py" "$built" gcc -std=gnu11 "${flags[@]}" "${shared[@]}"

echo "-- examples"
examples=$PWD/capi/examples
cc "$examples/filter.c" "${found[@]}" "${shared[@]}" -o "$built/filter-c"
c++ -std=c++17 "$examples/filter.cpp" "${found[@]}" "${shared[@]}" -o "$built/filter-cpp"
programs=()
for language in "${languages[@]}"; do
    case $language in
    c) programs+=("$built/filter-c" "$built/filter-cpp") ;;
    go) go build -o "$built/filter-go" "$examples/filter.go" && programs+=("$built/filter-go") ;;
    cs) mcs "-out:$built/filter.exe" "$examples/filter.cs" && programs+=("mono $built/filter.exe") ;;
    java) programs+=("java -cp $(find /usr/share/java -name jna.jar) $examples/Filter.java") ;;
    lua) programs+=("luajit $examples/filter.lua") ;;
    php) programs+=("php $examples/filter.php") ;;
    python) programs+=("python3 $examples/filter.py") ;;
    ruby) programs+=("ruby $examples/filter.rb") ;;
    *) echo "'$language' is no language of the examples" >&2 && exit 2 ;;
    esac
done
for example in "${programs[@]}"; do
    $example "$examples/robots.txt" MyCrawler <"$examples/urls.txt" | diff "$examples/expected.txt" - ||
        { echo "$example printed something else" >&2 && exit 1; }
    # What it says of a bad name.
    ! $example "$examples/robots.txt" MyCrawler/1.0 </dev/null >"$built/said" 2>&1 || exit 1
    grep -q "did you mean 'MyCrawler'" "$built/said" || { cat "$built/said" && exit 1; }
    echo "${example##*/}"
done

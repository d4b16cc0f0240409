#!/usr/bin/env bash
# What action.yml runs: lint, test and diff, as annotations, as the summary of the job, and as a
# comment under the pull request.
#
# From the environment: ROBOTS, EXPECTATIONS, SITEMAP, FAIL_ON, FAIL_ON_CHANGE, BASE and COMMENT, the
# inputs of the action; PULL_REQUEST, the number of the pull request, and GH_TOKEN for `gh`;
# GITHUB_STEP_SUMMARY, GITHUB_REPOSITORY and RUNNER_TEMP, which GitHub sets.
set -uo pipefail

failed=0
summary=$RUNNER_TEMP/robotsieve-summary.md
said=$RUNNER_TEMP/robotsieve-said.txt
: > "$summary"
# section TITLE TEXT: a part of the summary.
section() {
    printf '## %s\n\n%s\n\n' "$1" "$2" >> "$summary"
}
# failures: the errors and warnings of the last command, as a block of code: what a file has in it is
# no Markdown there.
failures() {
    sed -n 's/^::\(error\|warning\) file=\([^,]*\),line=\([0-9]*\)[^:]*::\(.*\)$/    \1 \2:\3: \4/p' "$said" |
        sed 's/%0D//g; s/%0A/; /g; s/%3A/:/g; s/%2C/,/g; s/%25/%/g' | head -n 50
}
# finish STATUS: the summary of the job, the comment, and the end.
finish() {
    cat "$summary" >> "$GITHUB_STEP_SUMMARY"
    if [ "${COMMENT:-false}" = true ] && [ -n "${PULL_REQUEST:-}" ]; then
        comment || echo "::warning::the comment cannot be written: the job needs the permission 'pull-requests: write', which it does not have for forks"
    fi
    exit "$1"
}
# comment: the summary under the pull request, in the place of the one that an earlier run wrote.
comment() {
    local mark='<!-- robotsieve -->' body=$RUNNER_TEMP/robotsieve-comment.md id
    # GitHub takes 65,536 characters.
    { echo "$mark"; head -c 60000 "$summary"; } | iconv -c -f UTF-8 -t UTF-8 > "$body"
    id=$(gh api --paginate "repos/$GITHUB_REPOSITORY/issues/$PULL_REQUEST/comments" \
        --jq ".[] | select(.body | startswith(\"$mark\")) | .id") || return
    id=${id%%$'\n'*}
    if [ -n "$id" ]; then
        gh api --silent --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$id" -F "body=@$body"
    else
        gh api --silent "repos/$GITHUB_REPOSITORY/issues/$PULL_REQUEST/comments" -F "body=@$body"
    fi
}
# verdict STATUS: 0 and 1 are answers; anything else is an error, which has been printed.
verdict() {
    case $1 in
    0) echo "passed" ;;
    1) echo "**failed**" ;;
    *) echo "**could not be done** (status $1); the log of the job says why" ;;
    esac
}

robotsieve lint --format github --fail-on "$FAIL_ON" -- "$ROBOTS" | tee "$said"
status=$?
[ "$status" = 0 ] || failed=1
section "robotsieve lint" "$(verdict "$status")

$(failures)"

if [ -n "$EXPECTATIONS" ]; then
    read -ra files <<< "$EXPECTATIONS"
    options=(--format github)
    for sitemap in ${SITEMAP:-}; do
        options+=(--sitemap "$sitemap")
    done
    robotsieve test "${options[@]}" -- "$ROBOTS" "${files[@]}" | tee "$said"
    status=$?
    [ "$status" = 0 ] || failed=1
    section "robotsieve test" "$(verdict "$status")

$(failures)"
fi

if [ -n "$BASE" ]; then
    old=$RUNNER_TEMP/robotsieve-base.txt
    # A checkout has one commit only, often.
    if ! git fetch --quiet --depth=1 origin "$BASE"; then
        echo "::error::cannot fetch the branch '$BASE', so nothing is compared"
        finish 3
    fi
    # Relative to the folder of the step, as ROBOTS is.
    if ! git cat-file -e "FETCH_HEAD:./$ROBOTS" 2>/dev/null; then
        # Without a file, everything is allowed.
        : > "$old"
        section "robotsieve diff" "The branch has no such file yet: it is compared with an empty one."
    elif ! git show "FETCH_HEAD:./$ROBOTS" > "$old"; then
        finish 3
    fi
    robotsieve diff --format github -- "$old" "$ROBOTS"
    robotsieve diff --format markdown -- "$old" "$ROBOTS" >> "$summary"
    status=$?
    if [ "$status" -gt 1 ] || { [ "$status" = 1 ] && [ "$FAIL_ON_CHANGE" = true ]; }; then
        failed=1
    fi
fi
finish "$failed"

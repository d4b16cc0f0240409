#!/usr/bin/env bash
# What action.yml runs: lint, test and diff, as annotations and as the summary of the job.
#
# From the environment: ROBOTS, EXPECTATIONS, SITEMAP, FAIL_ON, FAIL_ON_CHANGE and BASE, the inputs
# of the action; GITHUB_STEP_SUMMARY and RUNNER_TEMP, which GitHub sets.
set -uo pipefail

failed=0
# section TITLE TEXT: a part of the summary.
section() {
    printf '## %s\n\n%s\n\n' "$1" "$2" >> "$GITHUB_STEP_SUMMARY"
}
# verdict STATUS: 0 and 1 are answers; anything else is an error, which has been printed.
verdict() {
    case $1 in
    0) echo "passed" ;;
    1) echo "**failed**" ;;
    *) echo "**could not be done** (status $1); the log of the job says why" ;;
    esac
}

robotsieve lint --format github --fail-on "$FAIL_ON" -- "$ROBOTS"
status=$?
[ "$status" = 0 ] || failed=1
section "robotsieve lint" "$(verdict "$status")"

if [ -n "$EXPECTATIONS" ]; then
    read -ra files <<< "$EXPECTATIONS"
    options=(--format github)
    for sitemap in ${SITEMAP:-}; do
        options+=(--sitemap "$sitemap")
    done
    robotsieve test "${options[@]}" -- "$ROBOTS" "${files[@]}"
    status=$?
    [ "$status" = 0 ] || failed=1
    section "robotsieve test" "$(verdict "$status")"
fi

if [ -n "$BASE" ]; then
    old=$RUNNER_TEMP/robotsieve-base.txt
    # A checkout has one commit only, often.
    if ! git fetch --quiet --depth=1 origin "$BASE"; then
        echo "::error::cannot fetch the branch '$BASE', so nothing is compared"
        exit 3
    fi
    # Relative to the folder of the step, as ROBOTS is.
    if ! git cat-file -e "FETCH_HEAD:./$ROBOTS" 2>/dev/null; then
        # Without a file, everything is allowed.
        : > "$old"
        section "robotsieve diff" "The branch has no such file yet: it is compared with an empty one."
    elif ! git show "FETCH_HEAD:./$ROBOTS" > "$old"; then
        exit 3
    fi
    robotsieve diff --format github -- "$old" "$ROBOTS"
    robotsieve diff --format markdown -- "$old" "$ROBOTS" >> "$GITHUB_STEP_SUMMARY"
    status=$?
    if [ "$status" -gt 1 ] || { [ "$status" = 1 ] && [ "$FAIL_ON_CHANGE" = true ]; }; then
        failed=1
    fi
fi
exit "$failed"

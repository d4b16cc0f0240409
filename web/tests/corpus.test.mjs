import assert from "node:assert/strict";
import { test } from "node:test";

import { Robots } from "robotsieve-full";
import { Robots as CoreRobots } from "robotsieve";

import { file, missing, reference } from "./corpus.mjs";

for (const [name, Class] of [["robotsieve-full", Robots], ["robotsieve", CoreRobots]]) {
  test(`${name}: 600,347 verdicts of google/robotstxt`, { skip: missing }, (t) => {
    let [count, wrong, disallowed] = [0, 0, 0];
    let known;
    for (const [host, crawler, urls, verdicts] of reference()) {
      if (known?.host !== host) {
        known?.robots.free();
        known = { host, robots: new Class(file(host), { profile: "google" }) };
      }
      using_(known.robots.policy(crawler), (policy) => {
        const many = policy.verdicts(urls);
        urls.forEach((url, index) => {
          count += 1;
          disallowed += 1 - verdicts[index];
          const one = policy.isAllowed(url) ? 1 : 0;
          if (many[index] !== verdicts[index] || one !== verdicts[index]) wrong += 1;
        });
      });
    }
    t.diagnostic(`${count} verdicts, ${disallowed} of them disallow, ${wrong} wrong`);
    assert.deepEqual([count, disallowed, wrong], [600_347, 222_637, 0]);
  });
}

/** What `using` does where it is not known yet. */
function using_(policy, ask) {
  try {
    ask(policy);
  } finally {
    policy.free();
  }
}

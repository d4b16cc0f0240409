/** Answers questions in a worker. */

import { init, knownCrawlers, purposes } from "robotsieve";
import { Answers, built, Refused, utf16 } from "./answers.js";
import { type Known, setKnown } from "./asker.js";
import type { FromWorker, Kind, Questions, SentFile, ToWorker } from "./protocol.js";

const say = (message: FromWorker) => postMessage(message);

/** The newest file of each place. */
class Place {
  private id = -1;
  private answers: Answers | null = null;

  take(sent: SentFile): Answers {
    if (this.answers && this.id === sent.id) return this.answers;
    if (sent.text === undefined) throw new Error("the worker does not have this file");
    this.answers?.free();
    this.id = sent.id;
    this.answers = new Answers(sent.text);
    return this.answers;
  }
}

const [main, other] = [new Place(), new Place()];

addEventListener("message", (event: MessageEvent<ToWorker>) => {
  const message = event.data;
  if ("start" in message) {
    init(message.start.module).then(() => {
      const known: Known = { crawlers: knownCrawlers().crawlers, purposes: purposes() };
      setKnown(known);
      say({ ready: true, known });
    }).catch((error: unknown) => say({ broken: String(error) }));
    return;
  }
  const { number } = message;
  try {
    const answers = main.take(message.file);
    const before = message.before ? other.take(message.before) : null;
    say({ number, answer: answer(answers, before, message.kind, message.profile, message.ask) });
  } catch (error) {
    if (error instanceof Refused) say({ number, refused: error.message });
    else say({ number, failed: error instanceof Error ? error.message : String(error) });
  }
});

function answer(
  answers: Answers,
  before: Answers | null,
  kind: Kind,
  profile: Parameters<Answers["robots"]>[0],
  asked: unknown,
): unknown {
  const as = <K extends Kind>(_: K) => asked as Questions[K]["ask"];
  switch (kind) {
    case "table": {
      const { askers, urls } = as(kind);
      return answers.table(profile, askers, urls);
    }
    case "members": {
      const { asker, url } = as(kind);
      return answers.members(profile, asker, url);
    }
    case "why": {
      const { asker, url } = as(kind);
      return answers.why(profile, asker, url);
    }
    case "lint":
      return answers.lint(profile);
    case "findings":
      return answers.findings(profile, as(kind).numbers);
    case "fixed":
      return answers.fixed(profile);
    case "block":
      return answers.block(profile, as(kind));
    case "diff":
      if (!before) throw new Error("there is no file to compare with");
      return answers.diff(profile, before);
    case "machine": {
      const { asker, url } = as(kind);
      return answers.machine(profile, asker, url);
    }
    case "crawlers":
      return answers.crawlers(profile);
    case "rights": {
      const { asker, url, ...sources } = as(kind);
      return answers.rights(profile, asker, url, sources);
    }
    case "write":
      return built(as(kind));
    case "utf16":
      return utf16(as(kind).bytes);
  }
}

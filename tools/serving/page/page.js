// Shows what /api/status says. Every text comes from servers: it is only ever put in as text.
"use strict";

const $ = (id) => document.getElementById(id);

/** Exit codes in words: a colour class, a symbol, and what it means. docs/cli/exit-codes.md is the list. */
const meanings = new Map([
  [0, ["good", "\u2714", "Done: every replica is proven"]],
  [3, ["moving", "\u25F7", "Under way, or waiting for somebody's next step"]],
  [4, ["unknown", "?", "Not known: something could not be proven"]],
  [5, ["bad", "\u2716", "Replicas differ, and it stays so until somebody acts"]],
  [6, ["unknown", "\u2013", "Nothing was published"]],
  [7, ["bad", "\u2260", "Something else holds this slot or its tables"]],
  [8, ["bad", "\u2716", "Refused"]],
  [9, ["bad", "!", "Published, but not cleaned up"]],
]);

const meaningOf = (code) => meanings.get(code) || ["bad", "!", "This program could not read it"];

const mostNews = 5;
const mostNames = 1024;
const quietLimit = 60000; // readings end within half a minute, as gaps if need be

const state = {
  token: "",
  etag: "",
  document: null,
  changed: 0, // when the document last changed, by this browser's clock
  interval: 5000,
  words: new Map(), // slot -> the verdict that was announced last; empty: it is not there any more
  announced: false, // whether what is there at first has been shown
  timer: 0,
};

/* ---- small pieces of the document ---- */

function element(name, text, className) {
  const made = document.createElement(name);
  if (text !== undefined && text !== null) made.textContent = text;
  if (className) made.className = className;
  return made;
}

function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

function setClass(node, name) {
  if (node.className !== name) node.className = name;
}

function timeText(text) {
  return text ? text.replace("T", " ").replace("Z", "") : "\u2013";
}

/** Rows that stay the same elements while their data changes, so that focus and reading place stay. */
function updateRows(body, keys, make, update) {
  const rows = new Map([...body.children].map((row) => [row.dataset.key, row]));
  keys.forEach((key, index) => {
    let row = rows.get(key);
    if (!row) {
      row = make(key);
      row.dataset.key = key;
    }
    rows.delete(key);
    if (body.children[index] !== row) body.insertBefore(row, body.children[index] || null);
    update(row, key, index);
  });
  for (const row of rows.values()) row.remove();
}

function rowOf(cells) {
  const row = element("tr");
  const head = element("th");
  head.scope = "row";
  row.append(head);
  for (let i = 1; i < cells; ++i) row.append(element("td"));
  return row;
}

function setCells(row, texts) {
  texts.forEach((text, i) => setText(row.children[i], text));
}

/* ---- what a slot is called and how it is ---- */

function nameOf(slot) {
  const report = slot.report;
  if (report.table) return report.database + "." + report.table;
  return report.database + " (" + (report.verdict.detail || "record that cannot be read") + ")";
}

function verdictText(slot) {
  const verdict = slot.report.verdict;
  return meaningOf(slot.report.exit_code)[1] + " " + verdict.word;
}

/** What the address asks for; empty: nothing, or what cannot be understood. */
function wantedName() {
  if (!location.hash.startsWith("#slot=")) return "";
  try {
    return decodeURIComponent(location.hash.slice("#slot=".length));
  } catch {
    return "";
  }
}

/** Undefined where the wanted one is not there: another one in its place would be taken for it. */
function chosenSlot() {
  const slots = state.document.slots;
  const wanted = wantedName();
  return wanted === "" ? worst(slots) : slots.find((slot) => nameOf(slot) === wanted);
}

/** Without a choice: the slot that needs somebody most. */
function worst(slots) {
  const order = [1, 8, 4, 5, 7, 9, 6, 3, 0];
  const rank = (slot) => (order.indexOf(slot.report.exit_code) + order.length + 1) % (order.length + 1);
  return slots.reduce((best, slot) => (best === undefined || rank(slot) < rank(best) ? slot : best), undefined);
}

/* ---- the overview ---- */

/** How many slots are how, and the names of those that need somebody. */
function renderSummary(slots) {
  const waiting = { 0: 0, 3: 0, 6: 0 };
  const needy = [];
  for (const slot of slots) {
    if (slot.report.exit_code in waiting) ++waiting[slot.report.exit_code];
    else needy.push(nameOf(slot));
  }
  const parts = [];
  if (needy.length > 0) parts.push(needy.length + (needy.length === 1 ? " needs" : " need") + " somebody: " + needy.slice(0, mostNews).join(", ") + (needy.length > mostNews ? " and others" : ""));
  if (waiting[3] > 0) parts.push(waiting[3] + " under way");
  if (waiting[6] > 0) parts.push(waiting[6] + " with nothing published");
  if (waiting[0] > 0) parts.push(waiting[0] + " done");
  setText($("summary"), slots.length === 0 ? "" : slots.length + (slots.length === 1 ? " slot. " : " slots. ") + parts.join("; ") + ".");
}

/** A tab in the background says how the slot is that needs somebody most. */
function renderTitle(problem) {
  const slot = state.document && worst(state.document.slots);
  const data = state.document;
  const name = data ? "onceswap " + data.cluster + " " + data.database : "onceswap";
  document.title = (problem ? "! " : "") + (slot ? verdictText(slot) + " \u2013 " : "") + name;
}

function renderOverview(data) {
  const chosen = chosenSlot();
  const byName = new Map(data.slots.map((slot) => [nameOf(slot), slot]));
  renderSummary(data.slots);
  $("no-slots").hidden = data.slots.length > 0 || data.rounds === "0";
  updateRows(
    $("slots").tBodies[0],
    [...byName.keys()],
    (name) => {
      const row = rowOf(7);
      const link = element("a", name);
      link.href = "#slot=" + encodeURIComponent(name);
      row.children[0].append(link);
      setClass(row.children[3], "number");
      setClass(row.children[6], "number");
      return row;
    },
    (row, name) => {
      const slot = byName.get(name);
      const report = slot.report;
      const link = row.children[0].firstChild;
      if (slot === chosen) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
      const before = row.dataset.word;
      row.dataset.word = report.verdict.word;
      const changed = before !== undefined && before !== report.verdict.word;
      setClass(row, (slot === chosen ? "chosen" : "") + (changed ? " changed" : ""));
      setText(row.children[1], verdictText(slot));
      setClass(row.children[1], meaningOf(report.exit_code)[0]);
      setText(row.children[2], report.phase || "\u2013");
      setText(row.children[3], report.dispatch_epoch || "\u2013");
      setText(row.children[4], timeText(report.record_updated_at));
      setText(row.children[5], timeText(report.observed_at));
      setText(row.children[6], String(report.evidence_gaps.length));
    },
  );
}

/* ---- one slot ---- */

function setTerms(list, pairs) {
  const wanted = pairs.filter(([, text]) => text !== null && text !== undefined && text !== "");
  const same =
    list.children.length === wanted.length * 2 &&
    wanted.every(([term, text], i) => list.children[2 * i].textContent === term && list.children[2 * i + 1].textContent === text);
  if (same) return;
  list.replaceChildren(...wanted.flatMap(([term, text]) => [element("dt", term), element("dd", text)]));
}

function renderVerdict(slot) {
  const report = slot.report;
  const [className, symbol, meaning] = meaningOf(report.exit_code);
  const reason = report.verdict.reason;
  setClass($("verdict"), "verdict " + className);
  setText($("verdict-symbol"), symbol);
  setText($("verdict-word"), report.verdict.word);
  setText($("verdict-meaning"), meaning + " (exit code " + report.exit_code + ").");
  setTerms($("advice"), [
    ["Reason", reason && reason.code + ": " + reason.meaning],
    ["Detail", report.verdict.detail],
    ["Next safe action", reason && reason.next_safe_action],
    ["What not to do", reason && reason.what_not_to_do],
    ["Reading ended by", report.stopped && report.stopped.code + (report.stopped.detail ? ": " + report.stopped.detail : "")],
  ]);
}

/** What is known of the time before, where the present could not be read or proven. */
function verdictBefore(slot) {
  const before = slot.runs[slot.runs.length - 2];
  if (!before || (slot.report.exit_code !== 1 && slot.report.exit_code !== 4)) return "";
  return before.verdict + ", last seen at " + timeText(before.last_at);
}

function renderFacts(slot) {
  const report = slot.report;
  setTerms($("facts"), [
    ["Verdict before", verdictBefore(slot)],
    ["Operation", report.operation_id || "none"],
    ["Phase", report.phase && report.phase + ", epoch " + report.dispatch_epoch + ", version " + report.record_version],
    ["Record written", report.record_updated_at && timeText(report.record_updated_at)],
    ["Queue entry", report.entry],
    ["Queue evidence", report.evidence],
    ["Candidate", report.candidate],
    ["Last reading", timeText(report.observed_at) + " (" + slot.passes + " so far)"],
  ]);
}

/** As the servers write it: an IPv6 address goes in brackets. */
function addressOf(at) {
  return (at.host.includes(":") ? "[" + at.host + "]" : at.host) + ":" + at.port;
}

function holding(name) {
  return name.uuid ? name.role + " " + name.uuid.slice(0, 8) : name.role;
}

const memberSymbols = {
  COMMITTED: "\u2714", ASIDE: "\u2714", CLEANED: "\u2714", PENDING: "\u25F7", KEPT_OLD: "\u25F7", FOREIGN: "\u2260", UNAVAILABLE: "?", UNJUDGED: "\u2013",
};

function memberCells(member) {
  const queue = member.queue;
  const health = member.health;
  const reason = member.reason ? ": " + member.reason : "";
  const status = queue.status ? queue.status + (queue.code ? ", code " + queue.code : "") : "\u2013";
  let well = "? not answered";
  if (health.known) well = health.healthy ? "\u2714\u00A0healthy" : "! " + health.problems.join(", ");
  return [
    addressOf(member),
    (memberSymbols[member.state] || "?") + "\u00A0" + member.state + reason,
    queue.text ? status + ": " + queue.text : status,
    ...["target", "candidate", "aside"].map((name) => (member.state === "UNAVAILABLE" ? "? not known" : holding(member[name]))),
    member.target.zookeeper_path || "\u2013",
    well,
  ];
}

function renderMatrix(slot) {
  const members = new Map(slot.report.members.map((member) => [addressOf(member), member]));
  $("no-members").hidden = members.size > 0;
  updateRows(
    $("matrix").tBodies[0],
    [...members.keys()],
    () => {
      const row = rowOf(8);
      setClass(row.children[6], "path");
      return row;
    },
    (row, key) => setCells(row, memberCells(members.get(key))),
  );
}

const statementNames = {
  publish: "Publication", aside: "Setting aside", cleanup: "Drop", retire: "Retirement", setup: "Set-up",
};

const resultNames = {
  acknowledged: "\u2714 acknowledged", host_failed: "\u2716 a host failed", rejected: "\u2716 rejected before any effect", not_sent: "\u2013 not sent",
  outcome_unknown: "? nothing certain",
};

const boundText = (fact) => (fact.at_latest ? "by " : "at ") + timeText(fact.at);

/** Facts of one statement. A set-up has no epoch of its own: its entry tells it from the next one. */
function statementsOf(facts) {
  const statements = new Map();
  for (const fact of facts) {
    const key = [fact.operation, fact.epoch, fact.statement, fact.statement === "setup" ? fact.entry : ""].join(" ");
    if (!statements.has(key)) statements.set(key, []);
    statements.get(key).push(fact);
  }
  return statements;
}

function endText(fact, members) {
  const symbol = fact.outcome === "success" ? "\u2714" : "\u2716";
  const where = fact.hosts.length > 1 && fact.hosts.length === members.length ? "every member" : fact.hosts.join(", ");
  return symbol + " " + fact.outcome + " on " + where + ", " + boundText(fact);
}

function statementCells(facts, report) {
  const of = (step) => facts.filter((fact) => fact.step === step);
  const isPresent = report.operation_id !== null && report.operation_id.startsWith(facts[0].operation);
  const members = isPresent ? report.members.map((member) => addressOf(member)) : [];
  const ends = of("ended").map((fact) => endText(fact, members));
  const silent = members.filter((member) => !of("ended").some((fact) => fact.hosts.includes(member)));
  if (of("queued").length > 0 && silent.length > 0) ends.push("? no end seen on " + (silent.length === members.length ? "any member" : silent.join(", ")));
  const lines = (texts) => texts.join("\n") || "\u2013";
  return [
    statementNames[facts[0].statement],
    facts[0].statement === "setup" ? "\u2013" : facts[0].epoch,
    facts[0].operation.slice(0, 12),
    lines(of("permitted").map(boundText)),
    lines(of("result").map((fact) => resultNames[fact.outcome] || fact.outcome)),
    lines(of("queued").map((fact) => (fact.outcome ? "! " : "") + fact.entry + ", " + boundText(fact) + (fact.outcome ? ": " + fact.outcome : ""))),
    lines(ends),
  ];
}

function renderStatements(slot) {
  const statements = statementsOf(slot.mutations);
  $("no-statements").hidden = statements.size > 0;
  $("older-statements").hidden = !slot.older_mutations;
  updateRows(
    $("statements").tBodies[0],
    [...statements.keys()].reverse(),
    () => {
      const row = rowOf(7);
      setClass(row.children[1], "number");
      setClass(row.children[2], "path");
      return row;
    },
    (row, key) => setCells(row, statementCells(statements.get(key), slot.report)),
  );
}

const kinds = {
  first: "First reading", verdict: "Verdict", record: "Record", entry: "Queue entry", queue: "Queue", member: "Member", gap: "Gap",
};

function happeningText(happening) {
  if (happening.change === "gap") return happening.to ? "cannot be read: " + happening.to : "can be read again: " + happening.from;
  if (happening.change === "first") return happening.to;
  return (happening.from || "nothing") + " \u2192 " + (happening.to || "nothing");
}

function renderTimeline(slot) {
  const items = [...slot.timeline].reverse().map((happening) => {
    const item = element("li");
    const time = element("time", timeText(happening.at));
    time.dateTime = happening.at;
    const kind = element("span", kinds[happening.change] || happening.change, "kind");
    item.append(time, " ", kind, " ", (happening.host ? happening.host + ": " : "") + happeningText(happening));
    return item;
  });
  if (slot.forgotten !== "0") items.push(element("li", slot.forgotten + " older ones are not kept."));
  $("timeline").replaceChildren(...items);
}

function renderPasses(slot) {
  const runs = [...slot.runs].reverse();
  updateRows(
    $("passes").tBodies[0],
    runs.map((run) => run.first_at + " " + run.verdict),
    () => {
      const row = rowOf(4);
      setClass(row.children[1], "number");
      return row;
    },
    (row, key, index) => {
      const run = runs[index];
      const [className, symbol] = meaningOf(run.exit_code);
      setCells(row, [symbol + " " + run.verdict, run.count, timeText(run.first_at), timeText(run.last_at)]);
      setClass(row.children[0], className);
    },
  );
}

function repairText(repair) {
  return addressOf(repair) + " to serve " + repair.serve + ": " + repair.statement;
}

function renderEvidence(slot) {
  const report = slot.report;
  const lists = [
    ["Gaps", report.evidence_gaps],
    ["Warnings", report.warnings],
    ["Findings", report.findings.filter((one) => one.severity !== "pass").map((one) => one.severity + " " + one.check + " " + (one.code || "") + (one.host ? " on " + one.host : "") + (one.detail ? ": " + one.detail : ""))],
    ["Warnings of members", report.members.flatMap((member) => member.warnings.map((text) => member.host + ": " + text))],
    ["Names that hold something else", report.members.flatMap((member) => ["target", "candidate", "aside"].filter((name) => member[name].difference).map((name) => member.host + ", " + name + ": " + member[name].difference))],
    ["Retained tables", report.retained.map((table) => Object.values(table).join(" "))],
    ["Orphans", report.orphans.map((table) => Object.values(table).join(" "))],
    ["Statements that would make the members agree, for one member each, never sent by this program", report.repairs.map(repairText)],
  ].filter(([, texts]) => texts.length > 0);
  const parts = lists.flatMap(([title, texts]) => {
    const list = element("ul");
    list.append(...texts.map((text) => element("li", text)));
    return [element("h4", title), list];
  });
  if (parts.length === 0) parts.push(element("p", "No gap, no warning: everything that was asked was answered."));
  $("evidence").replaceChildren(...parts);
  setText($("document"), JSON.stringify(report, null, 2));
}

function renderGone(slot) {
  const wanted = wantedName();
  const isGone = !slot && wanted !== "" && state.document.rounds !== "0";
  $("gone").hidden = !isGone;
  if (!isGone) return;
  setText($("gone-title"), wanted);
  setText($("gone-why"), "There is no such slot among those that are watched" + (state.words.has(wanted) ? " any more: its record and its traces are gone." : "."));
}

function renderSlot() {
  const slot = chosenSlot();
  const held = $("slot").contains(document.activeElement) || $("gone").contains(document.activeElement);
  $("slot").hidden = !slot;
  renderGone(slot);
  if (held && $("slot").hidden && !$("gone").hidden) $("gone").focus({ preventScroll: true }); // what had the focus is hidden now
  if (!slot) return;
  setText($("slot-title"), nameOf(slot));
  renderVerdict(slot);
  renderFacts(slot);
  renderMatrix(slot);
  renderStatements(slot);
  renderTimeline(slot);
  renderPasses(slot);
  renderEvidence(slot);
}

/* ---- the whole ---- */

function announce(data) {
  const news = [];
  const gone = new Map([...state.words].filter(([, word]) => word !== ""));
  for (const slot of data.slots) {
    const name = nameOf(slot);
    const word = slot.report.verdict.word;
    const before = state.words.get(name);
    if (before && before !== word) news.push(name + ": " + before + " became " + word);
    if (!before && state.announced) news.push(name + ": new, " + word);
    gone.delete(name);
    state.words.set(name, word);
  }
  for (const name of gone.keys()) {
    news.push(name + ": is not there any more");
    state.words.set(name, "");
  }
  for (const name of state.words.keys()) if (state.words.size > mostNames) state.words.delete(name);
  state.announced = state.announced || data.rounds !== "0";
  const spoken = news.slice(0, mostNews).join(". ");
  if (news.length > 0) setText($("announcements"), news.length > mostNews ? spoken + ". And " + (news.length - mostNews) + " more" : spoken);
}

function render() {
  const data = state.document;
  setText($("watched"), "Cluster " + data.cluster + ", " + (data.table ? "table " + data.database + "." + data.table : "database " + data.database));
  announce(data);
  renderOverview(data);
  renderSlot();
  renderProblem(null);
}

function renderProblem(fetching) {
  const data = state.document;
  const parts = [];
  if (fetching) parts.push(fetching + " What is shown is the last that was read.");
  if (data && data.problem) parts.push("The slots could not be listed: " + data.problem);
  const quiet = performance.now() - state.changed;
  if (data && !fetching && quiet > Math.max(quietLimit, data.interval_ms * 6)) parts.push("Nothing was read for " + Math.round(quiet / 1000) + " seconds: the watching stands still. What is shown is old.");
  if (data && data.omitted_slots > 0) parts.push(data.omitted_slots + " more slots are not read: there are too many.");
  const text = parts.join(" ");
  renderTitle(text !== "");
  $("problem").hidden = text === "";
  setText($("problem"), text);
}

function renderFreshness() {
  const data = state.document;
  if (!data) return;
  if (!data.last_round_at) {
    setText($("freshness"), "The first round is under way");
    return;
  }
  setText($("freshness"), "Round " + data.rounds + " ended at " + timeText(data.last_round_at) + " UTC");
}

function askForToken(again) {
  $("login").hidden = false;
  $("overview").hidden = true;
  $("slot").hidden = true;
  setText($("login-note"), again ? "That token was refused." : "It is kept in this page only, and sent to this address only.");
  $("token").focus();
}

async function refresh() {
  const headers = {};
  if (state.token) headers["Authorization"] = "Bearer " + state.token;
  if (state.etag) headers["If-None-Match"] = state.etag;
  try {
    const answer = await fetch("api/status", { headers, cache: "no-store", signal: AbortSignal.timeout(10000) });
    if (answer.status === 401) {
      askForToken(state.token !== "");
      return false;
    }
    if (answer.status === 200) {
      state.document = await answer.json();
      state.changed = performance.now();
      state.etag = answer.headers.get("ETag") || "";
      state.interval = Math.min(Math.max(state.document.interval_ms / 2, 1000), 10000);
      $("overview").hidden = false;
      render();
    } else if (answer.status !== 304) {
      renderProblem("The server answered with status " + answer.status + ".");
    } else {
      renderProblem(null);
    }
    renderFreshness();
  } catch (error) {
    renderProblem("The server does not answer.");
  }
  return true;
}

async function keepRefreshing() {
  clearTimeout(state.timer);
  const goOn = await refresh();
  if (goOn) state.timer = setTimeout(keepRefreshing, document.hidden ? 15000 : state.interval);
}

$("login").addEventListener("submit", (event) => {
  event.preventDefault();
  state.token = $("token").value;
  $("token").value = "";
  $("login").hidden = true;
  keepRefreshing();
});

addEventListener("hashchange", () => {
  if (!state.document) return;
  renderOverview(state.document);
  renderSlot();
  if (location.hash.startsWith("#slot=")) $($("slot").hidden ? "gone" : "slot").focus({ preventScroll: false });
});

document.addEventListener("visibilitychange", () => {
  if (!document.hidden && state.document) keepRefreshing();
});

keepRefreshing();

// The page of `reconcile-watch serve` in Chromium: node serve.mjs BIN SOURCE SCREENSHOTS [PART OF A NAME]
//
// Every verdict of the published schema is shown by a real server over a simulated cluster that was brought into it: by
// a scenario, by a publication or a retirement that is killed at each of its mutations, or by one of the stories below.
// Each is looked at in the light and in the dark, by axe-core too, and kept as a picture.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { accessibilityProblems, openBrowser } from "./chromium.mjs";
import { Cluster, Server, run, stopAll } from "./processes.mjs";

const [bin, source, pictures, only = ""] = process.argv.slice(2);
mkdirSync(pictures, { recursive: true });
const folder = mkdtempSync(join(tmpdir(), "onceswap-serve-"));
const three = ["--members", "3"];
const partial = ["--scenario", `${source}/fixtures/scenarios/c14-finished-and-not-swapped.json`]; // PARTIAL_TERMINAL
const limit = 120_000; // machines are slow; nothing waits that long when all is well

/** The verdicts of the published schema. */
const schema = JSON.parse(readFileSync(`${source}/docs/cli/report.schema.json`, "utf-8"));
const everyWord = findEnum(schema, "PARTIAL_TERMINAL");
const exits = exitCodes();
const shown = new Set();
let failures = 0;

function findEnum(value, word) {
  if (value === null || typeof value !== "object") return undefined;
  if (Array.isArray(value.enum) && value.enum.includes(word)) return value.enum;
  for (const each of Object.values(value)) {
    const found = findEnum(each, word);
    if (found) return found;
  }
  return undefined;
}

async function check(name, body) {
  if (!name.includes(only)) return;
  const began = Date.now();
  try {
    await body();
    console.log(`ok   ${name} (${Date.now() - began} ms)`);
  } catch (error) {
    ++failures;
    console.log(`FAIL ${name}: ${error.stack}`);
  }
}

/** A page of the shared browser that remembers whatever it asked for and complained about. */
async function openPage(context, url) {
  const page = await context.newPage();
  page.requests = [];
  page.complaints = [];
  page.on("request", (request) => page.requests.push(request.url()));
  page.on("console", (message) => message.type() === "error" && page.complaints.push(message.text()));
  page.on("pageerror", (error) => page.complaints.push(String(error)));
  page.setDefaultTimeout(limit);
  await page.goto(url);
  return page;
}

function onlyOwnRequests(page, url) {
  for (const asked of page.requests) assert.ok(asked.startsWith(url) || asked.startsWith("data:"), `asked for ${asked}`);
}

async function waitForWord(page, word) {
  try {
    await page.waitForFunction((text) => document.getElementById("verdict-word").textContent === text, word);
  } catch (error) {
    throw new Error(`never ${word}, but ${await page.textContent("#verdict-word")}: ${error.message}`);
  }
}

/** The statements of a slot are on the page, each with what is known of it and nothing else. */
async function inspectStatements(page, slot) {
  const facts = slot.mutations;
  const keys = new Set(facts.map((fact) => `${fact.operation} ${fact.statement} ${fact.epoch} ${fact.statement === "setup" ? fact.entry : ""}`));
  assert.equal(await page.locator("#statements tbody tr").count(), keys.size, "one row for each statement");
  assert.equal(await page.locator("#no-statements").isVisible(), keys.size === 0);
  const shown = await page.textContent("#statements tbody");
  for (const fact of facts) {
    if (fact.entry) assert.ok(shown.includes(fact.entry), `entry ${fact.entry}: ${shown}`);
    if (fact.step === "ended") assert.ok(shown.includes(fact.outcome), `${fact.outcome}: ${shown}`);
    assert.ok(shown.includes((fact.at_latest ? "by " : "at ") + fact.at.replace("T", " ").replace("Z", "")) || fact.step === "result", shown);
  }
}

/** What must hold of the page for any verdict. */
async function inspect(page, name, slot) {
  const report = slot.report;
  await inspectStatements(page, slot);
  const word = report.verdict.word;
  assert.equal(await page.textContent("#verdict-word"), word);
  assert.notEqual((await page.textContent("#verdict-symbol")).trim(), "", "a verdict is more than a colour");
  assert.ok(exits.has(word), "docs/cli/exit-codes.md names it");
  assert.match(await page.textContent("#verdict-meaning"), new RegExp(`exit code ${exits.get(word)}\\)`));
  const advice = await page.textContent("#verdict");
  if (report.verdict.reason) {
    assert.ok(advice.includes(report.verdict.reason.code), "the code of the reason");
    assert.ok(advice.includes(report.verdict.reason.next_safe_action), "the next safe action");
  }
  const rows = await page.locator("#matrix tbody tr").count();
  assert.equal(rows, report.members.length, "one row for each expected member");
  for (const [i, member] of report.members.entries()) {
    const row = await page.locator("#matrix tbody tr").nth(i).textContent();
    assert.ok(row.includes(member.host) && row.includes(`:${member.port}`) && row.includes(member.state), `member ${i}: ${row}`);
  }
  const evidence = await page.textContent("#evidence");
  for (const repair of report.repairs) assert.ok(evidence.includes(repair.statement), `repair: ${repair.statement}`);
  for (const gap of report.evidence_gaps) assert.ok(evidence.includes(gap.slice(0, 200)), `gap: ${gap}`);
  for (const scheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" });
    assert.deepEqual(await accessibilityProblems(page), [], `${name}, ${scheme}`);
    await page.screenshot({ path: join(pictures, `${name}-${scheme}.png`), fullPage: true });
  }
}

async function statusOf(server) {
  return (await fetch(server.url + "api/status")).json();
}

/** Serves a cluster until it shows `word` (or whatever it shows first) and looks at the page. */
async function look(context, name, cluster, words, word, environment = {}) {
  const before = await cluster.mutations();
  const server = await Server.start(bin, words, environment);
  const page = await openPage(context, server.url);
  try {
    await page.waitForSelector("#slot:not([hidden])");
    const seen = word || (await page.textContent("#verdict-word"));
    await waitForWord(page, seen);
    const status = await statusOf(server);
    const slot = status.slots[0];
    assert.equal(slot.report.verdict.word, seen, "the verdict stays");
    await page.waitForFunction((n) => document.querySelectorAll("#matrix tbody tr").length === n, slot.report.members.length);
    await inspect(page, name || `interrupted-${seen}`, slot);
    assert.deepEqual(page.complaints, [], "the console");
    onlyOwnRequests(page, server.url);
    assert.equal(await cluster.mutations(), before, "serving changes nothing");
    shown.add(seen);
    return { seen, status };
  } finally {
    await page.close();
    await server.stop();
  }
}

/** For each verdict the first scenario that begins with a status of it; one that moves by itself only without another. */
function scenarios() {
  const byWord = new Map();
  for (const file of readdirSync(`${source}/fixtures/scenarios`).sort()) {
    if (!/^c.*\.json$/.test(file)) continue;
    const scenario = JSON.parse(readFileSync(`${source}/fixtures/scenarios/${file}`, "utf-8"));
    const step = (scenario.steps || [])[0];
    const moves = (scenario.timeline || []).length > 0; // it could be past its verdict before the page is open
    const known = byWord.get(step && step.verdict);
    if (step && step.run === "status" && !step.stopped && (!known || (known.moves && !moves)))
      byWord.set(step.verdict, { file, scenario, step, moves });
  }
  return byWord;
}

async function showScenario(context, { file, scenario, step }) {
  const cluster = await Cluster.start(bin, ["--scenario", `${source}/fixtures/scenarios/${file}`]);
  try {
    const given = step.with || {};
    const user = (scenario.users || [])[0] || {};
    const words = [
      ...cluster.urls(given.urls), "--cluster", given.cluster || cluster.ports.cluster, "--table", given.table || "db.target",
      ...(user.name && user.name !== "default" ? ["--user", user.name] : []),
    ];
    const environment = user.password ? { ONCESWAP_PASSWORD: user.password } : {};
    await look(context, file.replace(".json", ""), cluster, words, step.verdict, environment);
  } finally {
    await cluster.stop();
  }
}

/** A publication of two rows. */
async function publishing(where) {
  const rows = join(folder, "rows.ndjson");
  writeFileSync(rows, '{"id": 1, "name": "a"}\n{"id": 2, "name": "b"}\n');
  return ["publish", ...where, "--from", rows, "--invocation-id", "i", "--execute"];
}

/** `refresh-load` that is killed while its n-th mutation is held after the effect. Undefined: it has fewer. */
async function interrupt(context, n, sim, wordsOf, then = async () => {}) {
  const cluster = await Cluster.start(bin, sim);
  try {
    const where = [...cluster.urls(), "--cluster", cluster.ports.cluster, "--table", "db.target"];
    const words = await wordsOf(where);
    await cluster.control("POST", "/faults", { point: "effect", match: { mutations_only: true }, nth: n, effect: "hold" });
    const loader = spawn(`${bin}/refresh-load`, words, { stdio: "ignore" });
    const ended = new Promise((resolve) => loader.once("exit", () => resolve("ended")));
    const held = cluster.control("GET", `/events?after=0&fired=0&wait_ms=${limit}`).then(() => "held", () => "gone");
    const first = await Promise.race([ended, held]);
    if (first === "ended") return undefined;
    loader.kill("SIGKILL");
    await ended;
    await cluster.control("POST", "/release");
    await then(where);
    const result = await look(context, "", cluster, where, "");
    return result.seen;
  } finally {
    await cluster.stop();
  }
}

/** One mutation after the other, until there is none any more. */
async function interruptions(context, what, sim, wordsOf) {
  for (let n = 1, last = ""; last !== undefined && n < 30; ++n) {
    last = undefined;
    await check(`${what} killed at mutation ${n}`, async () => {
      last = await interrupt(context, n, sim, wordsOf);
      console.log(`     ${last || "it has fewer"}`);
    });
    if (only) break;
  }
}

/** The words of an operator's command about what stands in the slot. */
async function pinned(verb, where) {
  const seen = await run(`${bin}/reconcile-watch`, ["status", ...where, "--json"]);
  const { operation_id, record_version } = JSON.parse(seen.out);
  return [verb, ...where, "--operation", operation_id, "--version", record_version, "--execute"];
}

/** What an operator does with a READY slot: gives it up. */
async function abandon(where) {
  const ended = await run(`${bin}/refresh-load`, await pinned("abandon", where));
  assert.equal(ended.code, 6, ended.err);
}

/** And with members that differ for good: ends the publication, so that nothing late can change them any more. */
async function retired(context) {
  const cluster = await Cluster.start(bin, partial);
  try {
    const where = [...cluster.urls(), "--cluster", cluster.ports.cluster, "--table", "db.target"];
    const ended = await run(`${bin}/refresh-load`, await pinned("retire", where));
    assert.equal(ended.code, 5, ended.err);
    const { status } = await look(context, "retired", cluster, where, "RETIRED_MIXED");
    assert.ok(status.slots[0].report.repairs.length > 0, "what makes the members agree is in the evidence");
  } finally {
    await cluster.stop();
  }
}

/** A change in the cluster arrives on the open page: announced politely, in the timeline, and focus stays. */
async function live(context) {
  const cluster = await Cluster.start(bin, ["--members", "3"]);
  const server = await Server.start(bin, [...cluster.urls(), "--cluster", "c1", "--all", "--database", "db"]);
  const page = await openPage(context, server.url);
  try {
    const rows = join(folder, "live.ndjson");
    writeFileSync(rows, '{"id": 1, "name": "a"}\n');
    const where = [...cluster.urls(), "--cluster", "c1", "--table", "db.target"];
    const published = await run(`${bin}/refresh-load`, ["publish", ...where, "--from", rows, "--invocation-id", "i", "--execute", "--no-cleanup"]);
    assert.equal(published.code, 0, published.err);
    await waitForWord(page, "SET_ASIDE_REQUIRED");
    await page.focus("#slots a");
    const resumed = await run(`${bin}/refresh-load`, ["resume", ...where, "--execute"]);
    assert.equal(resumed.code, 0, resumed.err);
    await waitForWord(page, "COMPLETED");
    assert.equal(await page.evaluate(() => document.activeElement.textContent), "db.target", "focus stays where it was");
    assert.match(await page.textContent("#announcements"), /db\.target: .* became COMPLETED/);
    assert.equal(await page.getAttribute("#announcements", "aria-live"), "polite");
    assert.match(await page.textContent("#timeline"), /COMPLETED/);
    assert.match(await page.textContent("#timeline"), /Record/);
    assert.ok((await page.locator("#passes tbody tr").count()) >= 2, "a run of readings for each verdict");
    assert.deepEqual(page.complaints, []);
    await page.screenshot({ path: join(pictures, "live.png"), fullPage: true });
    await server.stop();
    await page.waitForSelector("#problem:not([hidden])");
    assert.match(await page.textContent("#problem"), /does not answer/);
    assert.equal(await page.textContent("#verdict-word"), "COMPLETED", "what was read last stays");
  } finally {
    await page.close();
    await server.stop();
    await cluster.stop();
  }
}

/** One row of the table of statements as texts. */
async function statementRow(page, name) {
  const row = page.locator("#statements tbody tr", { has: page.locator(`th:text-is("${name}")`) });
  return (await row.locator("th, td").allTextContents()).map((text) => text.trim());
}

/** A statement that ends on some members only is shown so, until the others end, too; what its sender saw it told nobody. */
async function statements(context) {
  const cluster = await Cluster.start(bin, three);
  const server = await Server.start(bin, tableOf(cluster));
  const page = await openPage(context, server.url);
  try {
    await waitForWord(page, "NO_RECORD");
    assert.equal(await page.isVisible("#no-statements"), true);
    const before = await cluster.mutations();
    await cluster.control("POST", "/faults", { point: "enqueued", match: { class: "exchange" }, effect: "stop_worker", on: 2 });
    await ends([...(await publishing(tableOf(cluster))), "--timeout", "10s"], [3]);
    await waitForWord(page, "PARTIAL_IN_PROGRESS");
    const open = await statementRow(page, "Publication");
    assert.equal(open[1], "1", "its epoch");
    assert.match(open[3], /^by 2/, "the permit has a bound");
    assert.match(open[5], /^query-\d+, at 2/, "the server says when it was queued");
    assert.match(open[6], /success on .*ch-1/);
    assert.match(open[6], /\? no end seen on ch-3:9000$/, open[6]);
    assert.ok((await cluster.mutations()) > before);
    await page.focus("#slots a");
    for (let i = 0; i < 2; ++i) await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement.getAttribute("aria-labelledby")), "statements-title", "wide tables scroll by keyboard");
    assert.deepEqual(await accessibilityProblems(page), []);
    await page.screenshot({ path: join(pictures, "statements-open.png"), fullPage: true });
    await cluster.control("POST", "/faults", { effect: "start_worker", on: 2 });
    await page.waitForFunction(() => /every member|ch-3:9000, by/.test(document.getElementById("statements").textContent) && !document.getElementById("statements").textContent.includes("no end seen"));
    const { slots: [slot] } = await statusOf(server);
    await inspectStatements(page, slot);
    const publication = slot.mutations.filter((fact) => fact.statement === "publish");
    assert.deepEqual(new Set(publication.filter((fact) => fact.step === "ended").flatMap((fact) => fact.hosts)), new Set(["ch-1:9000", "ch-2:9000", "ch-3:9000"]));
    assert.equal(publication.filter((fact) => fact.step === "permitted").length, 1);
    assert.equal(slot.mutations.filter((fact) => fact.statement !== "publish" && fact.statement !== "setup").length, 0, "nothing else was permitted");
  } finally {
    await page.close();
    await server.stop();
    await cluster.stop();
  }
}

const columns = [{ name: "id", type: "UInt64" }, { name: "name", type: "String" }];
const engine = "ReplicatedMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}') ORDER BY id";
const twoTables = { members: 3, tables: ["first", "second"].map((name) => ({ database: "db", name, columns, engine_full: engine, rows: 3 })) };

/** Slots that come and go, a member and a cluster that die, and a server that stands still, on a page that stays open. */
async function comesAndGoes(context) {
  const file = join(folder, "two.json");
  writeFileSync(file, JSON.stringify(twoTables));
  const cluster = await Cluster.start(bin, ["--scenario", file]);
  const db = [...cluster.urls(), "--cluster", "c1", "--all", "--database", "db"];
  const server = await Server.start(bin, [...db, "--read-timeout", "2s"]);
  const page = await openPage(context, `${server.url}#slot=db.second`);
  const publish = async (table) => ends([...(await publishing([...cluster.urls(), "--cluster", "c1", "--table", `db.${table}`]))], [0]);
  const says = (id, text) => page.waitForFunction(([where, what]) => document.getElementById(where).textContent.includes(what), [id, text]);
  try {
    await page.waitForSelector("#gone:not([hidden])");
    assert.match(await page.textContent("#gone"), /db\.second.*no such slot/s, "what is asked for and not there is said");
    assert.equal(await page.isVisible("#no-slots"), true);
    assert.deepEqual(await accessibilityProblems(page), []);
    await publish("first");
    await page.waitForSelector("#slots tbody a");
    assert.equal(await page.isVisible("#slot"), false, "another slot is not shown in its place");
    assert.match(await page.textContent("#announcements"), /db\.first: new, /);
    await publish("second");
    await waitForWord(page, "COMPLETED");
    assert.equal(await page.textContent("#slot-title"), "db.second");

    await page.focus("#slots tbody tr:last-child a");
    await cluster.control("POST", "/faults", { effect: "crash", on: 1 });
    await page.waitForFunction(() => document.querySelector("#matrix tbody").textContent.includes("UNAVAILABLE"));
    await says("evidence", "Gaps");
    const away = await page.locator("#matrix tbody tr", { hasText: "UNAVAILABLE" }).locator("td").allTextContents();
    assert.deepEqual(away.slice(2, 5), ["? not known", "? not known", "? not known"], "who did not answer did not say that nothing is there");
    assert.ok(!(await page.textContent("#timeline")).includes("UNAVAILABLE: target absent"));
    await says("announcements", "OUTCOME_UNKNOWN");
    await says("facts", "COMPLETED, last seen at 2");
    await page.waitForFunction(() => document.getElementById("summary").textContent === "2 slots. 2 need somebody: db.first, db.second.");
    assert.match(await page.title(), /^\? OUTCOME_UNKNOWN \u2013 onceswap c1 db$/, "a tab in the background tells it");
    assert.match(await page.textContent("#slots tbody tr:last-child td:last-child"), /^[1-9]/, "the number of gaps");
    await page.screenshot({ path: join(pictures, "member-gone.png"), fullPage: true });
    await cluster.control("POST", "/faults", { effect: "restart", on: 1 });
    await waitForWord(page, "COMPLETED");
    assert.equal(await page.evaluate(() => document.activeElement.textContent), "db.second", "focus stays");
    await says("summary", "2 slots. 2 done.");
    assert.ok(!(await page.textContent("#facts")).includes("Verdict before"));

    const { authority } = await cluster.control("GET", "/truth");
    const { slots } = await statusOf(server);
    const { operation_id } = slots.find((slot) => slot.report.table === "second").report;
    const { target_key } = authority.find((row) => row.operation_id === operation_id);
    await page.focus("#timeline-title ~ .wide");
    await cluster.control("POST", "/faults", { effect: "edit_authority", text: target_key, values: { _delete: "1" } });
    await waitForWord(page, "AUTHORITY_LOST");
    await cluster.control("POST", "/faults", { effect: "remove_entries", text: `onceswap-v1-${operation_id.slice(0, 20)}` });
    await page.waitForSelector("#gone:not([hidden])");
    assert.match(await page.textContent("#gone"), /any more/);
    await says("announcements", "db.second: is not there any more");
    assert.equal(await page.evaluate(() => document.activeElement.id), "gone", "the focus is not lost with the slot");
    await page.screenshot({ path: join(pictures, "slot-gone.png"), fullPage: true });
    await page.click("#gone a");
    await page.waitForFunction(() => document.getElementById("slot-title").textContent === "db.first");

    cluster.child.kill("SIGSTOP");
    await says("problem", "could not be listed");
    await waitForWord(page, "OUTCOME_UNKNOWN");
    cluster.child.kill("SIGCONT");
    await waitForWord(page, "COMPLETED");
    await page.waitForSelector("#problem[hidden]", { state: "attached" });
    cluster.child.kill("SIGKILL");
    await says("problem", "could not be listed");
    assert.match(await page.title(), /^! /);
    await page.screenshot({ path: join(pictures, "cluster-gone.png"), fullPage: true });
    assert.deepEqual(page.complaints, []);
  } finally {
    await page.close();
    await server.stop();
    await cluster.stop();
  }
}

/** A server whose watching stands still is told from one that sees no change. */
async function standsStill(context) {
  const cluster = await Cluster.start(bin, ["--members", "2"]);
  const server = await Server.start(bin, [...cluster.urls(), "--cluster", "c1", "--table", "db.target"]);
  const page = await context.newPage();
  try {
    page.setDefaultTimeout(limit);
    await page.clock.install();
    let frozen = "";
    await page.route("**/api/status", async (route) => {
      if (frozen) return route.fulfill({ status: 304 });
      frozen = await (await route.fetch()).text();
      const document = JSON.parse(frozen);
      if (document.slots.length === 0) frozen = "";
      return route.fulfill({ status: 200, headers: { ETag: '"1"' }, json: document });
    });
    await page.goto(server.url);
    for (const until = Date.now() + limit; (await page.locator("#slots tbody a").count()) === 0; await page.clock.runFor(1_000))
      assert.ok(Date.now() < until, "the first reading");
    for (let i = 0; i < 5; ++i) await page.clock.runFor(4_000);
    assert.equal(await page.isVisible("#problem"), false, "no change is no problem for a while");
    for (let i = 0; i < 12; ++i) await page.clock.runFor(6_000);
    await page.waitForFunction(() => document.getElementById("problem").textContent.includes("stands still"));
    assert.equal(await page.getAttribute("#problem", "role"), "alert");
  } finally {
    await page.close();
    await server.stop();
    await cluster.stop();
  }
}

/** What a keyboard and a screen reader find: landmarks, headings, headers, an order, the skip link. */
async function keyboard(context) {
  const cluster = await Cluster.start(bin, ["--members", "2"]);
  const server = await Server.start(bin, [...cluster.urls(), "--cluster", "c1", "--table", "db.target"]);
  const page = await openPage(context, server.url);
  try {
    await page.waitForSelector("#slots tbody a");
    for (const landmark of ["banner", "main", "contentinfo"]) assert.equal(await page.getByRole(landmark).count(), 1, landmark);
    assert.equal(await page.locator("thead th:not([scope=col])").count(), 0);
    assert.equal(await page.locator("tbody tr > :first-child:not(th[scope=row])").count(), 0);
    assert.equal(await page.locator("table:not(:has(caption))").count(), 0);
    const order = [];
    await page.evaluate(() => document.activeElement.blur());
    for (let i = 0; i < 9; ++i) {
      await page.keyboard.press("Tab");
      order.push(await page.evaluate(() => {
        const at = document.activeElement;
        return at.id || at.getAttribute("aria-labelledby") || at.textContent.trim();
      }));
    }
    assert.deepEqual(order.slice(0, 4), ["Skip to the chosen slot", "overview-title", "db.target", "matrix-title"], order.join(" > "));
    await page.focus("a.skip");
    const box = await page.locator("a.skip").boundingBox();
    assert.ok(box.x >= 0 && box.y >= 0, "the skip link is seen when it has the focus");
    await page.keyboard.press("Enter");
    assert.equal(await page.evaluate(() => document.activeElement.id), "slot");
    await page.focus("#slots a");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => location.hash === "#slot=db.target" && document.activeElement.id === "slot");
    await page.emulateMedia({ reducedMotion: "reduce" });
    const moving = await page.evaluate(() => [...document.querySelectorAll("*")].filter((one) => getComputedStyle(one).animationName !== "none").length);
    assert.equal(moving, 0, "nothing moves for who wants no motion");
    await page.setViewportSize({ width: 360, height: 640 });
    const wider = await page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);
    assert.equal(wider, false, "a narrow window scrolls in one direction only");
    await page.screenshot({ path: join(pictures, "narrow.png"), fullPage: true });
  } finally {
    await page.close();
    await server.stop();
    await cluster.stop();
  }
}

/** With a token: asked for, refused, taken; it is in no address, no storage and no markup. */
async function token(context) {
  const secret = "planted-token-0123456789";
  const file = join(folder, "token");
  writeFileSync(file, secret + "\n", { mode: 0o600 });
  const cluster = await Cluster.start(bin, ["--members", "2"]);
  const server = await Server.start(bin, [...cluster.urls(), "--cluster", "c1", "--table", "db.target", "--bearer-token-file", file]);
  const page = await openPage(context, server.url);
  try {
    await page.waitForSelector("#login:not([hidden])");
    assert.equal(await page.locator("#slot").isVisible(), false);
    assert.equal(await page.evaluate(() => document.activeElement.id), "token");
    assert.deepEqual(await accessibilityProblems(page), []);
    await page.screenshot({ path: join(pictures, "token.png") });
    await page.keyboard.type("wrong");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.getElementById("login-note").textContent.includes("refused"));
    await page.fill("#token", secret);
    await page.keyboard.press("Enter");
    await waitForWord(page, "NO_RECORD");
    const kept = await page.evaluate(() => document.documentElement.outerHTML + location.href + document.cookie + JSON.stringify({ ...localStorage, ...sessionStorage }));
    assert.ok(!kept.includes(secret));
    assert.ok(!page.requests.some((url) => url.includes(secret)));
  } finally {
    await page.close();
    await server.stop();
    await cluster.stop();
  }
}

/** The same from a real server: a cluster, a table and an exception that look like markup. */
async function hostileServer(context) {
  const markup = "<img src=x onerror=globalThis.taken=1>\"'";
  const file = join(folder, "hostile.json");
  writeFileSync(file, JSON.stringify({
    members: 2,
    clusters: [{ name: markup, members: [0, 1] }],
    tables: [{ ...twoTables.tables[0], name: markup }],
    faults: [{ point: "arrive", match: { member: 1 }, times: 0, effect: "answer", code: 999, text: `Code: 999. DB::Exception: ${markup}<script>globalThis.taken=1</script> (KEEPER_EXCEPTION)` }],
  }));
  const cluster = await Cluster.start(bin, ["--scenario", file]);
  const server = await Server.start(bin, [...cluster.urls(), "--cluster", markup, "--table", `db.\`${markup}\``]);
  const page = await openPage(context, server.url);
  try {
    await page.waitForSelector("#slots tbody a");
    assert.equal(await page.textContent("#slot-title"), `db.${markup}`);
    assert.ok((await page.textContent("#watched")).includes(markup));
    await page.waitForFunction(() => document.getElementById("evidence").textContent.includes("<script>globalThis.taken=1</script>"));
    await page.click("#slots tbody a");
    await page.waitForFunction(() => location.hash.startsWith("#slot=") && document.activeElement.id === "slot");
    assert.equal(await page.evaluate(() => globalThis.taken), undefined);
    assert.equal(await page.locator("main img, main script").count(), 0);
    assert.deepEqual(page.complaints, []);
    assert.deepEqual(await accessibilityProblems(page), []);
    await page.screenshot({ path: join(pictures, "hostile.png"), fullPage: true });
  } finally {
    await page.close();
    await server.stop();
    await cluster.stop();
  }
}

/** Names and texts of servers are text, whatever they look like. */
async function hostile(context) {
  const cluster = await Cluster.start(bin, ["--members", "2"]);
  const server = await Server.start(bin, [...cluster.urls(), "--cluster", "c1", "--table", "db.target"]);
  const page = await context.newPage();
  try {
    page.setDefaultTimeout(limit);
    const markup = '<img src=x onerror="globalThis.taken=1"><script>globalThis.taken=1</script>';
    await page.route("**/api/status", async (route) => {
      const answer = await route.fetch();
      const status = await answer.json();
      for (const slot of status.slots) {
        slot.report.table = markup;
        slot.report.evidence_gaps.push(markup);
        slot.report.members.forEach((member) => { member.host = markup; member.queue.text = markup; });
      }
      await route.fulfill({ response: answer, json: status });
    });
    await page.goto(server.url);
    await page.waitForSelector("#slots tbody a");
    assert.equal(await page.evaluate(() => globalThis.taken), undefined);
    assert.equal(await page.locator("main img").count(), 0);
    assert.ok((await page.textContent("#evidence")).includes(markup));
    // And if a script did get in, the policy would not run it.
    await page.evaluate(() => {
      const script = document.createElement("script");
      script.textContent = "globalThis.taken = 1";
      document.body.append(script);
    });
    assert.equal(await page.evaluate(() => globalThis.taken), undefined, "the policy");
  } finally {
    await page.close();
    await server.stop();
    await cluster.stop();
  }
}

/* ---- stories: what no scenario begins with ---- */

const tableOf = (cluster) => [...cluster.urls(), "--cluster", cluster.ports.cluster, "--table", "db.target"];

/** The command is killed while a request of its own is held on its way, and that request comes to nothing. */
async function dies(cluster, fault, words) {
  const { fired } = await cluster.control("GET", "/events?after=0&wait_ms=0");
  await cluster.control("POST", "/faults", { point: "arrive", effect: "hold", ...fault });
  const loader = spawn(`${bin}/refresh-load`, words, { stdio: "ignore" });
  const ended = new Promise((resolve) => loader.once("exit", (code) => resolve(`ended with ${code}`)));
  const held = cluster.control("GET", `/events?after=0&fired=${fired}&wait_ms=${limit}`).then(() => "held");
  assert.equal(await Promise.race([ended, held]), "held", words.join(" "));
  loader.kill("SIGKILL");
  await ended;
  await cluster.control("POST", "/release?drop=1");
}

async function ends(words, codes) {
  const ended = await run(`${bin}/refresh-load`, words);
  assert.ok(codes.includes(ended.code), `${words[0]} ended with ${ended.code}: ${ended.err}`);
}

const writes = (phase) => ({ match: { class: "authority_update", sql: `phase = '${phase}', dispatch_epoch` } });
const hostRefuses = { point: "worker_after_active", match: { class: "rename", member: 2 }, effect: "host_error", times: 0, code: 630, text: "Cannot rename, some tables depend on it" };
const queueUnreadable = { effect: "edit_queue", queue_edit: { what: "unreadable" } };

/** A publication that dies between the record's DISPATCHING and its EXCHANGE, so that it can be retired. */
async function stranded(cluster) {
  const where = tableOf(cluster);
  await dies(cluster, { match: { class: "exchange" } }, await publishing(where));
  return where;
}

const stories = new Map([
  ["NOT_DISPATCHED", async (cluster) => {
    const where = tableOf(cluster);
    await cluster.control("POST", "/faults", { point: "arrive", match: { class: "exchange" }, effect: "answer", code: 497, text: "Code: 497. DB::Exception: Not enough privileges. (ACCESS_DENIED)" });
    await ends([...(await publishing(where)), "--timeout", "10s"], [3, 6]);
  }],
  ["RETIRE_IN_PROGRESS", async (cluster) => {
    const where = await stranded(cluster);
    await cluster.control("POST", "/faults", { point: "enqueued", match: { class: "rename" }, effect: "stop_worker", on: 2 });
    await ends([...(await pinned("retire", where)), "--timeout", "10s"], [3]);
  }],
  ["RETIRE_INCOMPLETE", async (cluster) => {
    const where = await stranded(cluster);
    await cluster.control("POST", "/faults", hostRefuses);
    await ends([...(await pinned("retire", where)), "--timeout", "30s"], [3, 9]);
  }],
  ["RETIRE_UNKNOWN", async (cluster) => {
    const where = await stranded(cluster);
    await dies(cluster, writes("ABANDONED"), await pinned("retire", where));
    await cluster.control("POST", "/faults", queueUnreadable);
  }],
  ["RETIRABLE", async (cluster) => {
    const where = await stranded(cluster);
    await dies(cluster, writes("ABANDONED"), await pinned("retire", where));
  }],
  ["CLEANUP_UNKNOWN", async (cluster) => {
    await dies(cluster, writes("CLEANUP_DISPATCHING"), await publishing(tableOf(cluster)));
    await cluster.control("POST", "/faults", queueUnreadable);
  }],
  ["AUTHORITY_FOREIGN", async (cluster) => {
    await ends(await publishing(tableOf(cluster)), [0]);
    const others = cluster.ports.urls.map((_, member) => ({ effect: "edit_member", on: member, values: { server_uuid: `99999999-9999-4999-8999-99999999999${member}` } }));
    await cluster.control("POST", "/faults", others);
  }],
]);

async function tell(context, word, story) {
  const cluster = await Cluster.start(bin, three);
  try {
    await story(cluster);
    await look(context, `story-${word}`, cluster, tableOf(cluster), word);
  } finally {
    await cluster.stop();
  }
}

/** From the table of docs/cli/exit-codes.md. */
function exitCodes() {
  const codes = new Map();
  for (const line of readFileSync(`${source}/docs/cli/exit-codes.md`, "utf-8").split("\n")) {
    const cells = line.match(/^\| *(\d+)/);
    if (cells) for (const found of line.match(/[A-Z][A-Z_]{4,}/g) || []) codes.set(found, Number(cells[1]));
  }
  return codes;
}

const browser = await openBrowser();
try {
  assert.ok(everyWord, "the schema lists the verdicts");
  await check("keyboard and screen reader", () => keyboard(browser.context));
  await check("a change arrives", () => live(browser.context));
  await check("statements", () => statements(browser.context));
  await check("slots come and go", () => comesAndGoes(browser.context));
  await check("a watching that stands still", () => standsStill(browser.context));
  await check("a token", () => token(browser.context));
  await check("hostile texts", () => hostile(browser.context));
  await check("hostile texts of a server", () => hostileServer(browser.context));
  for (const [word, found] of scenarios()) await check(`${word} of ${found.file}`, () => showScenario(browser.context, found));
  await interruptions(browser.context, "a publication", three, publishing);
  await check("a publication that was given up", () => interrupt(browser.context, 4, three, publishing, abandon));
  await interruptions(browser.context, "a retirement", partial, (where) => pinned("retire", where));
  await check("a publication that was retired", () => retired(browser.context));
  for (const [word, story] of stories) await check(`${word} of a story`, () => tell(browser.context, word, story));
} finally {
  await browser.close();
  stopAll();
  rmSync(folder, { recursive: true, force: true });
}
const missing = everyWord.filter((word) => !shown.has(word));
if (!only && missing.length > 0) {
  ++failures;
  console.log(`FAIL no server over a cluster showed ${missing.join(", ")}`);
}
console.log(`${shown.size} of ${everyWord.length} verdicts shown by a server over a cluster`);
console.log(failures === 0 ? "browser tests: everything passed" : `browser tests: ${failures} failed`);
process.exit(failures === 0 ? 0 : 1);

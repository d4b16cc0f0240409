/** Where the states of an automaton are drawn: the same picture for the same automaton, always. */

import type { Automaton } from "robotsieve";

export interface Node {
  state: number;
  x: number;
  y: number;
}

export interface Edge {
  from: number;
  /** `null`: a state that is not drawn. */
  to: number | null;
  /** Whether every byte without an edge of its own takes it. */
  isOtherwise: boolean;
  /** Whether it leads to a later column. The others are many, and of less interest. */
  isForward: boolean;
  /** The bytes, all of them. */
  label: string;
  path: string;
  labelX: number;
  labelY: number;
}

export interface Drawing {
  nodes: Node[];
  edges: Edge[];
  width: number;
  height: number;
}

export const RADIUS = 16;
const COLUMN = 96;
const ROW = 54;
const MARGIN = 40;

/** Edges of a state that lead to the same state are one. */
function merged(automaton: Automaton): Omit<Edge, "isForward" | "path" | "labelX" | "labelY">[] {
  return automaton.states.flatMap((state, from) => {
    const labels = new Map<number | null, string[]>();
    for (const { bytes, to } of state.transitions) {
      const same = labels.get(to);
      if (same) same.push(bytes.label);
      else labels.set(to, [bytes.label]);
    }
    const edges = [...labels].map(([to, of]) => ({ from, to, isOtherwise: false, label: of.join(" ") }));
    if (state.otherwise !== null) edges.push({ from, to: state.otherwise, isOtherwise: true, label: "" });
    return edges;
  });
}

export function layout(automaton: Automaton): Drawing {
  const edges = merged(automaton);
  const out: number[][] = automaton.states.map(() => []);
  for (const edge of edges) if (edge.to !== null) out[edge.from]!.push(edge.to);

  // Columns: the least number of bytes from the start. So an edge leads to the next column, or back.
  const column = new Map([[automaton.start, 0]]);
  const queue = [automaton.start];
  for (const state of queue) {
    for (const to of out[state]!) {
      if (column.has(to)) continue;
      column.set(to, column.get(state)! + 1);
      queue.push(to);
    }
  }
  // Of a large automaton, states whose way from the start is not drawn stand in the column of their depth.
  automaton.states.forEach((state, number) => {
    if (!column.has(number)) column.set(number, state.depth ?? 1);
  });
  const columns: number[][] = [];
  for (const state of [...queue, ...automaton.states.keys()]) {
    const states = (columns[column.get(state)!] ??= []);
    if (!states.includes(state)) states.push(state);
  }

  // Rows: near those from which edges come, in the order of these edges; the walk on a straight line.
  const walked = new Set(automaton.walk ? [automaton.start, ...automaton.walk.steps.map((step) => step.state)] : []);
  const y = new Map<number, number>();
  const comeFrom = new Map<number, { from: number; place: number }[]>();
  for (const [from, targets] of out.entries()) {
    targets.forEach((to, index) => {
      if (column.get(to) !== column.get(from)! + 1) return;
      const place = targets.length > 1 ? index / (targets.length - 1) - 0.5 : 0;
      comeFrom.set(to, [...(comeFrom.get(to) ?? []), { from, place }]);
    });
  }
  columns.forEach((states) => {
    const wish = (state: number) => {
      const of = comeFrom.get(state) ?? [];
      const sum = of.reduce((sum, { from, place }) => sum + (y.get(from) ?? 0) + place * ROW, 0);
      return of.length > 0 ? sum / of.length : 0;
    };
    const wishes = states.map((state) => ({ state, wish: wish(state) })).sort((a, b) => a.wish - b.wish || a.state - b.state);
    const middle = wishes.findIndex(({ state }) => walked.has(state));
    if (middle >= 0) {
      y.set(wishes[middle]!.state, 0);
      let edge = 0;
      for (const { state, wish } of wishes.slice(0, middle).reverse()) y.set(state, (edge = Math.min(wish, edge - ROW)));
      edge = 0;
      for (const { state, wish } of wishes.slice(middle + 1)) y.set(state, (edge = Math.max(wish, edge + ROW)));
    } else {
      let edge = -Infinity;
      for (const { state, wish } of wishes) y.set(state, (edge = Math.max(wish, edge + ROW)));
      // What was pushed down comes up again by half, so that a column stands around its middle.
      const pushed = wishes.reduce((sum, { state, wish }) => sum + y.get(state)! - wish, 0) / wishes.length;
      for (const { state } of wishes) y.set(state, y.get(state)! - pushed);
    }
  });

  // Columns without states, of a large automaton, take no room.
  const used = columns.flatMap((states, index) => (states.length > 0 ? [index] : []));
  const place = new Map(used.map((index, at) => [index, at]));
  const top = Math.min(...y.values());
  const nodes = automaton.states.map((_, state) => ({
    state,
    x: MARGIN + place.get(column.get(state)!)! * COLUMN,
    y: MARGIN + y.get(state)! - top,
  }));
  let [lowest, highest] = [0, 0];
  const drawn = edges.map((edge) => {
    const shape = drawnEdge(nodes[edge.from]!, edge.to === null ? null : nodes[edge.to]!);
    lowest = Math.max(lowest, shape.lowest);
    highest = Math.min(highest, shape.highest);
    const isForward = edge.to === null || column.get(edge.to)! > column.get(edge.from)!;
    return { ...edge, isForward, path: shape.path, labelX: shape.labelX, labelY: shape.labelY };
  });
  // Room for the arcs above.
  const down = highest < 8 ? 8 - highest : 0;
  const moved = down === 0 ? drawn : drawn.map((edge) => {
    const at = (node: Node) => ({ ...node, y: node.y + down });
    const { path, labelX, labelY } = drawnEdge(at(nodes[edge.from]!), edge.to === null ? null : at(nodes[edge.to]!));
    return { ...edge, path, labelX, labelY };
  });
  for (const node of nodes) node.y += down;
  return {
    nodes,
    edges: moved,
    width: MARGIN * 2 + (used.length - 1) * COLUMN + RADIUS * 2,
    height: Math.max(lowest + down + 12, Math.max(...nodes.map((node) => node.y)) + MARGIN),
  };
}

function drawnEdge(from: Node, to: Node | null) {
  const r = (number: number) => Math.round(number * 10) / 10;
  if (to === null) {
    const [x1, y1] = [from.x + RADIUS * 0.7, from.y - RADIUS * 0.7];
    const [x2, y2] = [from.x + RADIUS + 14, from.y - RADIUS - 10];
    return {
      path: `M${r(x1)} ${r(y1)}L${r(x2)} ${r(y2)}`, labelX: r(x2), labelY: r(y2 - 5), lowest: y1, highest: y2 - 12,
    };
  }
  if (from.state === to.state) {
    const { x } = from;
    const y = from.y - RADIUS;
    return {
      path: `M${r(x - 7)} ${r(y + 2)}C${r(x - 20)} ${r(y - 26)} ${r(x + 20)} ${r(y - 26)} ${r(x + 7)} ${r(y + 2)}`,
      labelX: r(x), labelY: r(y - 22), lowest: from.y, highest: y - 32,
    };
  }
  if (to.x > from.x) {
    const [x1, x2] = [from.x + RADIUS, to.x - RADIUS];
    const bend = (x2 - x1) * 0.5;
    return {
      path: `M${r(x1)} ${r(from.y)}C${r(x1 + bend)} ${r(from.y)} ${r(x2 - bend)} ${r(to.y)} ${r(x2 - 1)} ${r(to.y)}`,
      labelX: r((x1 + x2) / 2), labelY: r((from.y + to.y) / 2 - 5), lowest: Math.max(from.y, to.y), highest: 0,
    };
  }
  if (to.x === from.x) {
    // Within a column: an arc to the right.
    const sign = Math.sign(to.y - from.y);
    const [y1, y2] = [from.y + sign * RADIUS * 0.7, to.y - sign * RADIUS * 0.7];
    const x = from.x + RADIUS * 0.7;
    const bend = 14 + Math.abs(to.y - from.y) * 0.12;
    return {
      path: `M${r(x)} ${r(y1)}C${r(x + bend)} ${r(y1)} ${r(x + bend)} ${r(y2)} ${r(x + 1)} ${r(y2)}`,
      labelX: r(x + bend * 0.8), labelY: r((y1 + y2) / 2 + 4), lowest: Math.max(y1, y2), highest: Math.min(y1, y2),
    };
  }
  // Back: an arc below.
  const span = (from.x - to.x) / COLUMN;
  const [y1, y2] = [from.y + RADIUS, to.y + RADIUS];
  const depth = Math.max(y1, y2) + 14 + Math.min(span, 8) * 6;
  return {
    path: `M${r(from.x)} ${r(y1)}C${r(from.x - 10)} ${r(depth)} ${r(to.x + 10)} ${r(depth)} ${r(to.x)} ${r(y2 + 1)}`,
    labelX: r((from.x + to.x) / 2), labelY: r((Math.max(y1, y2) + depth * 3) / 4), lowest: depth, highest: 0,
  };
}

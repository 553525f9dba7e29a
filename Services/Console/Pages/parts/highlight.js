import { h } from '../core/dom.js';

const words = {
  swift:
    'actor as await async break case catch class default defer do else enum extension final func guard if import in init let nil private return self Self static struct switch throw throws try true false var where while',
  kotlin:
    'as break class companion const else false finally for fun if import in init is lateinit null object override package private return set get true try catch val var when while by lazy',
  js: 'async await break catch class const continue default else export false finally for from function if import in let new null of return switch this throw true try typeof undefined while',
  python:
    'and as break class continue def del elif else except False finally for from if import in is lambda None not or pass raise return self True try while with',
  php: 'array as bool class const declare else elseif false final float fn function if int namespace new null private public readonly return self static string true use void',
  go: 'break case chan const context default defer else false for func go if import map nil package range return select struct switch true type var',
  dart: 'abstract as async await bool break case catch class const continue default else extends false final finally for Future get if import in int late List Map new null on required return set static String super switch this throw true try var void while with',
  shell: 'curl export',
  html: 'script type module import from',
  json: 'true false null',
};

const comments = {
  swift: /\/\/[^\n]*/y,
  kotlin: /\/\/[^\n]*|\/\*[\s\S]*?\*\//y,
  js: /\/\/[^\n]*|\/\*[\s\S]*?\*\//y,
  python: /#[^\n]*|"""[\s\S]*?"""/y,
  php: /\/\/[^\n]*|\/\*[\s\S]*?\*\//y,
  go: /\/\/[^\n]*/y,
  dart: /\/\/[^\n]*/y,
  html: /\/\/[^\n]*|<!--[\s\S]*?-->/y,
};
const text = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/y;
const number = /\b\d[\d_]*(?:\.\d+)?\b/y;
const name = /[A-Za-z_$@#][\w$]*/y;

/** Colours code: comments, texts, numbers and words of the language, as nodes. */
export function highlight(code, language) {
  const known = new Set((words[language] ?? '').split(' '));
  const kinds = [
    ['comment', comments[language]],
    ['text', text],
    ['number', number],
    ['name', name],
  ];
  const nodes = [];
  let plain = '';
  let at = 0;
  while (at < code.length) {
    const found = kinds
      .map(([kind, pattern]) => [kind, pieceAt(pattern, code, at)])
      .find(([, piece]) => piece);
    if (!found) {
      plain += code[at];
      at += 1;
      continue;
    }
    const [kind, piece] = found;
    at += piece.length;
    const style = kind === 'name' ? (known.has(piece) ? 'word' : null) : kind;
    if (!style) {
      plain += piece;
      continue;
    }
    if (plain) nodes.push(plain);
    plain = '';
    nodes.push(h('span', { class: `code-${style}` }, piece));
  }
  if (plain) nodes.push(plain);
  return nodes;
}

function pieceAt(pattern, code, index) {
  if (!pattern) return null;
  pattern.lastIndex = index;
  return pattern.exec(code)?.[0] ?? null;
}

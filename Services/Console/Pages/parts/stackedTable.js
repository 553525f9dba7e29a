import { h } from '../core/dom.js';

/**
 * Puts a table into a region that scrolls, and tells each cell its column's name, so that on phones a row can be read as a list.
 *
 * `table` has one row of heads; the first cell of each row names it.
 */
export function stackedTable(label, table) {
  table.classList.add('listed');
  const names = [...table.querySelectorAll('thead th')].map((cell) => cell.textContent);
  for (const row of table.querySelectorAll('tbody tr')) {
    [...row.children].forEach((cell, index) => {
      cell.dataset.label = cell.classList.contains('row-actions') ? '' : (names[index] ?? '');
    });
  }
  return h('div', { class: 'table-wrap', tabindex: '0', role: 'group', aria: { label } }, table);
}

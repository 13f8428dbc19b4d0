import type { BatchItem, BatchSuccess } from '@app/reports';
import { oneLine, type Paint } from './terminal/paint';

/** A batch as text for the terminal, one line per host. */
export function batchPage(items: readonly BatchItem[], paint: Paint): string {
  const width = Math.max(...items.map(({ domain }) => domain.length));
  return items.map((item) => `${lineOf(item, width, paint)}\n`).join('');
}

function lineOf(item: BatchItem, width: number, paint: Paint): string {
  const name = paint('strong', oneLine(item.domain).padEnd(width));
  if (!item.ok) return `${name}  ${paint('bad', 'not probed')}  ${oneLine(item.error)}`;
  if (!item.reachable) return `${name}  ${paint('bad', 'down')}`;
  const lists = [
    item.present.length > 0 ? paint('good', oneLine(item.present.join(' '))) : 'nothing present',
    ...(item.partial.length > 0 ? [paint('middling', `partial: ${oneLine(item.partial.join(' '))}`)] : []),
    ...(item.errors.length > 0 ? [paint('bad', `could not check: ${oneLine(item.errors.join(' '))}`)] : []),
  ];
  return [name, pays(item, paint), ...lists].join('  ');
}

/** A payment that could not be checked is not reported as missing (behaviour 4.4). */
function pays({ payable, errors }: Pick<BatchSuccess, 'payable' | 'errors'>, paint: Paint): string {
  if (payable) return paint('good', 'payable');
  return errors.includes('x402') || errors.includes('mpp') ? paint('bad', 'payment unknown') : 'not payable';
}

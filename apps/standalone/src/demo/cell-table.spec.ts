import { cellTable, readCells } from './cell-table';

describe('cellTable', () => {
  it('shows a line per protocol with its version and what there is to remark', () => {
    const report = {
      protocols: [
        { id: 'ucp', status: 'present', version: '2026-08-25', details: { keys: ['ucp'] } },
        { id: 'mcp', status: 'present', version: null, details: { name: 'Full Store' } },
        { id: 'acp', status: 'undiscoverable', version: null, details: { reason: 'acp_has_no_public_well_known' } },
      ],
    };
    expect(cellTable(readCells(report))).toBe(
      [
        '  ucp          present         2026-08-25',
        '  mcp          present                      Full Store',
        '  acp          undiscoverable               acp_has_no_public_well_known',
      ].join('\n'),
    );
  });

  it.each([null, [], 'text', {}, { protocols: {} }])('is empty for %j, which is no report', (body) => {
    expect(cellTable(readCells(body))).toBe('');
  });
});

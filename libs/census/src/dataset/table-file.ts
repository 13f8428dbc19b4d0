import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { ParquetWriter } from 'hyparquet-writer';
import type { Column } from './tables';

/** How many rows are buffered before they are written as a group. */
const GROUP = 20_000;

/** A Parquet file that is written row by row. */
export class TableFile {
  private held: (readonly unknown[])[] = [];

  private constructor(
    private readonly columns: readonly Column[],
    private readonly writer: ParquetWriter,
  ) {}

  /** Starts the file, replacing an existing one. The writer is an ES module, so it is loaded dynamically. */
  static async open(file: string, columns: readonly Column[]): Promise<TableFile> {
    const { fileWriter, ParquetWriter: Writer, schemaFromColumnData } = await import('hyparquet-writer');
    mkdirSync(dirname(file), { recursive: true });
    const columnData = columns.map(({ name, type }) => ({ name, type, nullable: true, data: [] }));
    const schema = schemaFromColumnData({ columnData });
    return new TableFile(columns, new Writer({ writer: fileWriter(file), schema, createdBy: 'hostprobe' }));
  }

  async add(rows: readonly (readonly unknown[])[]): Promise<void> {
    this.held.push(...rows);
    if (this.held.length >= GROUP) await this.write();
  }

  async close(): Promise<void> {
    if (this.held.length > 0) await this.write();
    await this.writer.finish();
  }

  private async write(): Promise<void> {
    const rows = this.held;
    this.held = [];
    const columnData = this.columns.map(({ name, type }, at) => ({
      name,
      type,
      nullable: true,
      data: rows.map((row) => row[at] ?? null),
    }));
    await this.writer.write({ columnData, rowGroupSize: GROUP });
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Tables of the document by column, checked as they are read.

// A sentence for the user.
export class DataError extends Error {}

export type Json = Record<string, unknown>;
export const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null &&
  !Array.isArray(value);

// Long columns of a packed page: bytes behind the document (host/view/column.c).
const packedTypes = {
  u8: Uint8Array,
  i8: Int8Array,
  u16: Uint16Array,
  i16: Int16Array,
  u32: Uint32Array,
  i32: Int32Array,
  f64: Float64Array
};
type Packed = InstanceType<(typeof packedTypes)[keyof typeof packedTypes]>;
// Long columns: their bytes, and where the first one begins (a multiple of eight).
export interface Columns {
  bytes: ArrayBuffer;
  base: number;
}
export const noColumns: Columns = { bytes: new ArrayBuffer(0), base: 0 };
let packedColumns = noColumns; // of the document that is read now
export function useColumns(columns: Columns): void {
  packedColumns = columns;
}

// A column that stands in the document, or the one that it names; undefined: none.
function unpackColumn(column: unknown): unknown[] | Packed | undefined {
  if (Array.isArray(column)) return column;
  if (!isObject(column)) return undefined;
  const { type, at, count } = column;
  if (typeof type !== 'string' || !Object.hasOwn(packedTypes, type)) return undefined;
  if (typeof at !== 'number' || typeof count !== 'number') return undefined;
  const make = packedTypes[type as keyof typeof packedTypes];
  if (!Number.isInteger(at) || !Number.isInteger(count) || at < 0 || at % 8 !== 0 || count < 0) return undefined;
  const { bytes, base } = packedColumns;
  if (base + at + count * make.BYTES_PER_ELEMENT > bytes.byteLength) return undefined;
  return new make(bytes, base + at, count);
}

// One table by column. Every column has as many rows as the first one.
export class Table {
  count: number;
  constructor(private data: Json, private where: string, first: string) {
    const column = unpackColumn(data[first]);
    if (column === undefined) throw new DataError(`The data is damaged: ${where} has no column “${first}”.`);
    this.count = column.length;
  }
  private any(name: string): unknown[] | Packed {
    const column = unpackColumn(this.data[name]);
    if (column === undefined || column.length !== this.count)
      throw new DataError(`The data is damaged: in ${this.where}, the column “${name}” has not ${this.count} rows.`);
    return column;
  }
  private column(name: string): unknown[] {
    const column = this.any(name);
    return Array.isArray(column) ? column : Array.from(column);
  }
  has(name: string): boolean {
    return this.data[name] !== undefined;
  }
  numbers(name: string): Float64Array {
    const column = this.any(name);
    if (column instanceof Float64Array) return this.finite(name, column.slice());
    if (!Array.isArray(column)) return new Float64Array(column);
    const result = new Float64Array(this.count);
    for (let i = 0; i < this.count; i++) {
      const value = column[i];
      if (typeof value !== 'number' || !Number.isFinite(value))
        throw new DataError(`The data is damaged: in ${this.where}, row ${i} of “${name}” is no number.`);
      result[i] = value;
    }
    return result;
  }
  private finite(name: string, numbers: Float64Array): Float64Array {
    for (let i = 0; i < numbers.length; i++)
      if (!Number.isFinite(numbers[i]))
        throw new DataError(`The data is damaged: in ${this.where}, row ${i} of “${name}” is no number.`);
    return numbers;
  }
  // Small ones: lines, depths, processes.
  integers(name: string): Int32Array {
    const column = this.any(name);
    return new Int32Array(Array.isArray(column) || column instanceof Float64Array ? this.numbers(name) : column);
  }
  optional(name: string): Float64Array | undefined {
    return this.has(name) ? this.numbers(name) : undefined;
  }
  // Rows of a table with `limit` rows, or -1.
  index(name: string, limit: number): Int32Array {
    const column = this.any(name);
    const nowhere = (row: number): DataError =>
      new DataError(`The data is damaged: in ${this.where}, row ${row} of “${name}” leads nowhere.`);
    const result = new Int32Array(column as ArrayLike<number>);
    if (Array.isArray(column) || column instanceof Float64Array || column instanceof Uint32Array)
      for (let i = 0; i < this.count; i++) if (result[i] !== column[i]) throw nowhere(i);
    for (let i = 0; i < result.length; i++) if (result[i]! < -1 || result[i]! >= limit) throw nowhere(i);
    return result;
  }
  texts(name: string, otherwise?: (row: number) => string): string[] {
    return this.column(name).map(
      (value, row) => (
        typeof value === 'string' ? clean(value) :
          otherwise               ? otherwise(row) :
                                    ''
      )
    );
  }
  // A list of `length` numbers in each row.
  rows(name: string, length: number): Float64Array[] {
    return this.column(name)
      .map(
        (list) => {
          if (
            !Array.isArray(list) || list.length !== length ||
            list.some((value) => typeof value !== 'number' || !Number.isFinite(value))
          )
            throw new DataError(`The data is damaged: “${name}” of ${this.where} is no list of ${length} numbers.`);
          return Float64Array.from(list as number[]);
        }
      );
  }
  lists(name: string, limit: number, least = 0): number[][] {
    const column = this.column(name);
    for (const list of column) {
      if (!Array.isArray(list)) throw new DataError(`The data is damaged: “${name}” of ${this.where} is no list.`);
      for (const value of list)
        if (!Number.isInteger(value) || value < least || value >= limit)
          throw new DataError(`The data is damaged: “${name}” of ${this.where} leads nowhere.`);
    }
    return column as number[][];
  }
}

// Control characters and marks that turn text around have no place in a name.
const unseen = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
export function clean(text: string): string {
  return text.replace(unseen, '\ufffd');
}

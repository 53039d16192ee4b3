import type { Look } from '../../record/looks';
import type { Moment } from '../../record/moment';
import type { RunRecord } from '../../record/record';
import type { Palette } from '../palette';
import type { Axis } from './axis';
import type { Geometry } from './geometry';

/** What one drawing of the stage needs. */
export interface Scene {
  run: RunRecord;
  moment: Moment;
  axis: Axis;
  geometry: Geometry;
  palette: Palette;
  /** Rows of the grid show KV heads, and not whole layers. */
  byHead: boolean;
  /** Layers of the newest pass that are shown done; all of them unless it is stepped through. */
  layersShown: number;
  layer: number;
  head: number;
  /** The asker's pass at that layer and head; null while it is not known. */
  look: Look | null;
  selected: number | null;
  metric: Metric;
  /** Cost a column at the full height of a cost row. */
  costScale: number;
}

export type Metric = 'macs' | 'ms';

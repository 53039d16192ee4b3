// Where each figure comes from, by the view that draws it.
export * as cache from './cache';
export * as calculator from './calculator';
export * as cost from './cost';
export * as model from './model';
export * as picture from './picture';
export * as projections from './projections';
export * as question from './question';
export * as race from './race';

// The designer's model: a process as plain values, and everything done with it from the first look on.
// What belongs to parts that are opened later (form, diff, validate) is imported by its own name.
export * from "./branching";
export * from "./clipboard";
export * from "./editing";
export * from "./history";
export * from "./making";
export * from "./opening";
export * from "./paths";
export * from "./references";
export * from "./tree";
export * from "./types";
export * from "./walking";

// The designer's model: a process and its form as plain values, and everything done with them.
export * from "./branching";
export * from "./clipboard";
export * from "./diff";
export * from "./editing";
export * from "./form";
export * from "./history";
export * from "./making";
export * from "./opening";
export * from "./paths";
export * from "./references";
export * from "./tree";
export * from "./types";
export * from "./validate";
export * from "./walking";

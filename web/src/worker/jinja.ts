// A module of its own, so that the bundle has it as a file of its own: kvscope-jinja.js.
export { Template } from '@huggingface/jinja';

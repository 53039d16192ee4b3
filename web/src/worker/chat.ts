import { KvScopeError } from '../api/errors';
import type { ChatMessage } from '../api/types';
import type { EngineModel } from './engine';

/** Renders messages by the Jinja template in the model's file. */
export async function renderChat(
  model: EngineModel,
  messages: ChatMessage[],
  addGenerationPrompt: boolean,
  jinjaUrl?: string,
): Promise<string> {
  const { template, bosToken, eosToken } = model.chatTemplate();
  if (template === '') {
    throw new KvScopeError(
      'no-chat-template',
      'This model’s file has no tokenizer.chat_template. Give the text to prefill() as it is.',
    );
  }
  // Loaded by the first chat only: a completion needs no template engine.
  const jinja: Promise<typeof import('./jinja')> = jinjaUrl
    ? import(/* @vite-ignore */ jinjaUrl)
    : import('./jinja');
  const { Template } = await jinja.catch((error: Error) => {
    throw new KvScopeError(
      'network',
      `The template engine could not be loaded (${error.message}).`,
    );
  });
  try {
    return new Template(template).render({
      messages,
      add_generation_prompt: addGenerationPrompt,
      bos_token: bosToken,
      eos_token: eosToken,
    });
  } catch (error) {
    throw new KvScopeError(
      'bad-chat-template',
      `The chat template failed: ${(error as Error).message}. Some templates refuse a role or an order of roles.`,
    );
  }
}

/** `sse`: the event-stream format (Server-Sent Events). `lines`: bare lines. `auto`: detect it from the content. */
export const STREAM_FORMATS = ['auto', 'sse', 'lines'] as const;
export type StreamFormat = (typeof STREAM_FORMATS)[number];

type Input = Readonly<Record<string, unknown>>;

/** A tool for assistants. */
export interface InspectorTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** Whether calling it changes nothing. */
  readonly isReadOnly: boolean;
  /** Whether what it says may be of a version before the last save. */
  readonly isAboutProject: boolean;
  run(input: Input): Promise<string> | string;
}

/** The schema of an input. */
export const input = (
  properties: Readonly<Record<string, object>>,
  required: readonly string[] = [],
): InspectorTool['inputSchema'] => ({ type: 'object', properties, required, additionalProperties: false });

/** A text of an input; '' where it is not given. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');

import { type Project, slotKey } from '../../kernel/index.js';

const VIEWS = slotKey<InspectorView[]>('inspector.views');

/** A text, a link to another `path` of the view, or a button for an `action`. */
type Cell =
  | string
  | { readonly text: string; readonly path: string }
  | { readonly text: string; readonly action: unknown };

/** A view of the dev page: tables with buttons. */
export interface InspectorView {
  /** The title of its tab. */
  readonly title: string;
  /** Called every second while the view is open. `path` is empty, or comes from the link that was selected. */
  read(path: string): Promise<
    readonly {
      readonly title: string;
      readonly columns: readonly string[];
      readonly rows: readonly (readonly Cell[])[];
    }[]
  >;
  /** Called when a button is pressed, with its `action` as JSON. */
  act(action: unknown): Promise<unknown>;
}

/** The views that plugins have added to the serving version. */
export const viewsIn = (project: Project | undefined): InspectorView[] =>
  project ? project.slot(VIEWS, () => []) : [];

/** Add `view` to the dev page of this version, in a `serve` tap. */
export const addInspectorView = (project: Project, view: InspectorView): void =>
  void viewsIn(project).push(view);

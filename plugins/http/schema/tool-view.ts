/** The templates of the project, added by the generated types: `"mail/letter": "mail/letter.eta"`. */
// biome-ignore lint/suspicious/noEmptyInterface: the generated types fill it
export interface Views {}

/** The name of a template, without its extension; any string if the generated types list no templates. */
export type ViewName = [keyof Views] extends [never] ? string : keyof Views & string;

/** A template, or a complete page of your own. */
type ViewFile = ViewName | `${string}.html`;

/** The page that hosts show for the result of a tool (SEP-1865): `views/<name>`. */
export type ToolView =
  | ViewFile
  | {
      readonly name: ViewFile;
      /** The origins that the page may use, besides the origin of the app for images and styles. */
      readonly csp?: {
        /** For requests and WebSockets. */
        readonly connectDomains?: readonly string[];
        /** For images, styles, scripts, fonts and media. */
        readonly resourceDomains?: readonly string[];
        /** For frames inside the page. */
        readonly frameDomains?: readonly string[];
        readonly baseUriDomains?: readonly string[];
      };
      /** The features of the browser that the page needs: `{ camera: {} }`. */
      readonly permissions?: {
        readonly [feature in 'camera' | 'microphone' | 'geolocation' | 'clipboardWrite']?: object;
      };
      readonly prefersBorder?: boolean;
      /** The origin on which the host serves the page. Each host has a format of its own. */
      readonly domain?: string;
    };

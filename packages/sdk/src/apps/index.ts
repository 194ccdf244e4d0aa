/** `parley-mcp/apps`: the apps extension. Servers give tools a page, hosts show it in a frame. */
export { APPS_REVISION, AppHost, type ViewInfo } from "./app-host.js";
export type { AppHostOptions, ViewMessage, ViewModelContext, ViewRequest } from "./app-host-options.js";
export { type ReadAppPage, type ReadAppPageOptions, readAppPage } from "./app-page-reader.js";
export {
  APP_MIME_TYPE,
  type AppCsp,
  type AppPermission,
  type AppsClientSettings,
  type AppToolVisibility,
  apps,
  isVisibleTo,
  pageUriOf,
} from "./apps-extension.js";
export type { AppPageSize, ContainerDimension, DisplayMode, HostContext } from "./host-context.js";
export { contentSecurityPolicy, permissionsPolicy, withPolicy } from "./page-policy.js";
export {
  type FrameTransportOptions,
  type MessageEvents,
  type MessageFrame,
  type MessagePortLike,
  type MessageWindow,
  type PostMessageOptions,
  PostMessageTransport,
  type WindowMessageEvent,
  type WindowOptions,
} from "./post-message-transport.js";
export { sandboxPage } from "./sandbox-page.js";
export { type AppPage, type AppPageConfig, AppServer, type AppToolConfig, serveApps, showsApps } from "./serve-apps.js";

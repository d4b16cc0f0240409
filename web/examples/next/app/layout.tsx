import type { ReactNode } from "react";

export default ({ children }: { children: ReactNode }) => <html lang="en"><body>{children}</body></html>;

export default { serverExternalPackages: ["robotsieve-write"] };

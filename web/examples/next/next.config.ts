export default { serverExternalPackages: ["robotsieve"] };

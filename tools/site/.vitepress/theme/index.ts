// @ts-ignore: only VitePress resolves this.
import theme from "vitepress/theme-without-fonts";
// @ts-ignore: only VitePress imports styles.
import "./style.css";

export default theme;

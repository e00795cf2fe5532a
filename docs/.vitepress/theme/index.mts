// The theme without the Inter web font: pages use the fonts of the reader's machine.
import theme from 'vitepress/theme-without-fonts';
import './style.css';

export default theme;

// Zooming so that the whole process is to be seen, as far as its text stays readable.
import { zoom, zoomTo } from "./looking";

export function fit(): void {
  const canvas = document.querySelector<HTMLElement>("[data-canvas]");
  const tree = canvas?.querySelector<HTMLElement>(".dz-tree");
  if (!canvas || !tree) return;
  const scale = zoom.peek() / 100;
  const box = tree.getBoundingClientRect();
  const width = (canvas.clientWidth - 32) / (box.width / scale);
  const height = (canvas.clientHeight - 32) / (box.height / scale);
  zoomTo(Math.floor(Math.min(width, height, 1) * 10) * 10);
  canvas.scrollTo({ left: (canvas.scrollWidth - canvas.clientWidth) / 2, top: 0 });
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* A flame graph as a page of its own: a click zooms to a box, Escape or a click on "all" goes back, the field marks
 * what it finds and says its share. Nothing is loaded from elsewhere. */
#include <inttypes.h>
#include "host/base/xml.h"
#include "host/export/flame.h"

static const char script[] =
    "const "
    "svg=document.querySelector('svg'),boxes=[...svg.querySelectorAll('g')].map(g=>({g,f:+g.dataset.f,w:+g.dataset.w,"
    "d:+g.dataset.d,r:g.querySelector('rect'),t:g.querySelector('text'),name:g.querySelector('title').textContent."
    "replace(/: \\d+ \\w+, [\\d.]+%$/,'')}));\n"
    "const all=boxes[0],W=1200;\n"
    "function show(to){const s=W/to.w;for(const b of boxes){const x=(b.f-to.f)*s,w=b.w*s,up=b.d<to.d;\n"
    "const seen=b.f<to.f+to.w&&b.f+b.w>to.f&&w>0.3;b.g.style.display=seen?'':'none';if(!seen)continue;\n"
    "const "
    "l=Math.max(0,x),r=Math.min(W,x+w);b.r.setAttribute('x',l);b.r.setAttribute('width',r-l);b.r.style.opacity=up?0.5:"
    "1;\n"
    "const "
    "n=Math.floor((r-l-4)/"
    "7);b.t.setAttribute('x',l+3);b.t.textContent=n>=b.name.length?b.name:n>2?b.name.slice(0,n-2)+'..':'';}}\n"
    "for(const b of boxes)b.g.addEventListener('click',()=>show(b));\n"
    "addEventListener('keydown',e=>{if(e.key==='Escape')show(all)});\n"
    "const field=document.getElementById('find'),said=document.getElementById('said');\n"
    "field.addEventListener('input',()=>{let sum=0,end=-1;const text=field.value;\n"
    "for(const b of boxes){const "
    "hit=text!==''&&b!==all&&b.name.includes(text);b.r.style.stroke=hit?'#3030ff':'';b.r.style.strokeWidth=hit?2:'';}\n"
    "for(const b of "
    "boxes.filter(b=>text!==''&&b!==all&&b.name.includes(text)).sort((a,b)=>a.f-b.f||b.w-a.w)){if(b.f>=end){sum+=b.w;"
    "end=b.f+b.w;}}\n"
    "said.textContent=text===''?'':(100*sum/all.w).toFixed(2)+'%';});\n"
    "show(all);\n";

int export_flamehtml(const struct export_input *input, FILE *out)
{
	struct flame flame;
	int error = flame_make(&flame, input);
	if (error != EXPORT_OK)
		return error;
	fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>", out);
	xml_text(out, input->name[0] != '\0' ? input->name : input->program);
	fputs("</title>\n<style>body{font:13px monospace;background:#fffdf5}g{cursor:pointer}g:hover rect{stroke:#000}"
	      "svg{max-width:100%;height:auto}</style></head>\n<body><label>find <input id=\"find\"></label> <span "
	      "id=\"said\">"
	      "</span>\n",
	    out);
	error = flame_svg(&flame, input, true, out);
	fprintf(out, "<script>\n%s</script></body></html>\n", script);
	flame_free(&flame);
	return error == EXPORT_OK && ferror(out) ? EXPORT_EWRITE : error;
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// The packages of these interpreters have no tests: closures, exceptions, prototypes, regular expressions, sorting.
var done = 0;
function same(got, want) {
	done++;
	if (got !== want)
		throw new Error("check " + done + ": " + got + " instead of " + want);
}
function counter() { var n = 0; return function (step) { return n += step || 1; }; }
var a = counter(), b = counter();
same(a() + a(2) + b(), 5);
function fall(depth) { if (depth === 0) throw { depth: done }; try { return fall(depth - 1); } finally { falls++; } }
var falls = 0;
for (var i = 1; i <= 100; i++) {
	var caught = null;
	try { fall(i % 30); } catch (e) { caught = e; }
	same(caught.depth, done);
}
same(falls, 1360);
function Shape(w, h) { this.w = w; this.h = h; }
Shape.prototype.area = function () { return this.w * this.h; };
function Square(w) { Shape.call(this, w, w); }
Square.prototype = Object.create(Shape.prototype);
same(new Square(7).area(), 49);
same(new Square(1) instanceof Shape, true);
var list = [];
for (i = 0; i < 1500; i++) list.push(i * 7919 % 1511);
list.sort(function (x, y) { return x - y; });
for (i = 1; i < list.length; i++) same(list[i - 1] < list[i], true);
same(list.filter(function (x) { return x % 2; }).map(function (x) { return x * 2; }).reduce(function (x, y) { return x + y; }, 0) > 0, true);
same("the quick brown fox".replace(/(\w+) (\w+)/g, "$2 $1"), "quick the fox brown");
same(/^(a+)+b$/.exec("aaaaaaaaaaab")[1], "aaaaaaaaaaa");
same("a,b,,c".split(",").length, 4);
same(JSON.stringify(JSON.parse('{"a":[1,2,{"b":null}],"c":"\\u0041"}')), '{"a":[1,2,{"b":null}],"c":"A"}');
same((0.1 + 0.2).toFixed(10), "0.3000000000");
same(parseInt("ff", 16) + parseFloat("1e2x"), 355);
same((123.456).toExponential(3), "1.235e+2");
function sieve(n) {
	var composite = [], count = 0;
	for (var i = 2; i < n; i++) {
		if (composite[i]) continue;
		count++;
		for (var j = i * i; j < n; j += i) composite[j] = true;
	}
	return count;
}
same(sieve(5000), 669);
var text = "";
for (i = 0; i < 300; i++) text += String.fromCharCode(97 + i * i % 26);
same(text.length, 300);
out: for (i = 0; i < 10; i++) for (var j = 0; j < 10; j++) { if (i * j === 42) break out; if (j > i) continue out; }
same(i * j, 42);
switch (typeof null + done % 1) { case "object0": same(1, 1); break; default: same(1, 2); }
print(done + " checks");

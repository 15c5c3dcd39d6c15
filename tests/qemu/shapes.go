package main

import (
	"fmt"
	"os"
	"sort"
)

type shape interface{ area() int }
type square struct{ side int }
type oblong struct{ a, b int }

func (s square) area() int { return s.side * s.side }
func (o oblong) area() int { return o.a * o.b }

func fib(n int) int {
	if n < 2 {
		return n
	}
	return fib(n-1) + fib(n-2)
}

func guarded(n int) (r int) {
	defer func() {
		if e := recover(); e != nil {
			r = -1
		}
	}()
	return []int{1, 2, 3}[n]
}

func main() {
	done := make(chan int)
	for i := 0; i < 4; i++ {
		go func(n int) { done <- fib(n) }(10 + i)
	}
	sum := 0
	for i := 0; i < 4; i++ {
		sum += <-done
	}
	words := map[string]int{"one": 1, "two": 2, "three": 3}
	names := []string{}
	for w := range words {
		names = append(names, w)
	}
	sort.Strings(names)
	for _, s := range []shape{square{3}, oblong{2, 5}} {
		sum += s.area()
	}
	fmt.Println(sum, names, guarded(1), guarded(7), len(os.Args))
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Loads two libraries in turn, each where the other was. */
#include <dlfcn.h>
#include <stddef.h>

int main(void)
{
	static const char *const names[] = {"./libfirst.so", "./libsecond.so"};
	for (int i = 0; i < 40; i++) {
		void *library = dlopen(names[i % 2], RTLD_NOW);
		if (library == NULL)
			return 1;
		void (*run)(void) = (void (*)(void))dlsym(library, "run");
		run();
		dlclose(library);
	}
	return 0;
}

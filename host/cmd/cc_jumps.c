/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Which functions that leave others the files of a link name: like longjmp(), and personalities of exceptions. */
#define _GNU_SOURCE /* memmem() */
#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "host/cmd/cc_link.h"

const char *const cc_jumps[CC_JUMPS] = {"longjmp", "_longjmp", "siglongjmp", "__longjmp_chk"};
const char *const cc_personalities[CC_PERSONALITIES] = {"__gxx_personality_v0", "__gcc_personality_v0",
    "rust_eh_personality", "__gnat_personality_v0", "__gdc_personality_v0"};

/* Whether bytes have one of the names anywhere: of debug information, or as the end of another, too. */
static unsigned names_of(const char *bytes, size_t size, const char *const *names, unsigned count)
{
	unsigned found = 0;
	for (unsigned i = 0; i < count; i++)
		found |= memmem(bytes, size, names[i], strlen(names[i]) + 1) != NULL ? 1u << i : 0;
	return found;
}

/* Names that symbols of an object have. */
static unsigned symbols_of_object(Elf *elf, const char *const *names, unsigned count)
{
	unsigned found = 0;
	Elf_Scn *section = NULL;
	while ((section = elf_nextscn(elf, section)) != NULL) {
		GElf_Shdr header;
		GElf_Sym symbol;
		Elf_Data *data = NULL;
		if (gelf_getshdr(section, &header) == NULL || header.sh_type != SHT_SYMTAB ||
		    (data = elf_getdata(section, NULL)) == NULL)
			continue;
		for (int i = 0; gelf_getsym(data, i, &symbol) != NULL; i++) {
			const char *name = elf_strptr(elf, header.sh_link, symbol.st_name);
			for (unsigned k = 0; k < count && name != NULL; k++)
				found |= strcmp(name, names[k]) == 0 ? 1u << k : 0;
		}
	}
	return found;
}

/* Of an object, or of all in an archive; what is neither has all of `all`. */
static unsigned symbols_of_file(int fd, const char *const *names, unsigned count, unsigned all)
{
	unsigned found = 0;
	if (all == 0 || elf_version(EV_CURRENT) == EV_NONE)
		return all;
	Elf *file = elf_begin(fd, ELF_C_READ, NULL);
	if (file == NULL || (elf_kind(file) != ELF_K_AR && elf_kind(file) != ELF_K_ELF)) {
		elf_end(file);
		return all;
	}
	if (elf_kind(file) == ELF_K_ELF)
		found = symbols_of_object(file, names, count);
	Elf_Cmd command = ELF_C_READ;
	Elf *member;
	while (elf_kind(file) == ELF_K_AR && (member = elf_begin(fd, command, file)) != NULL) {
		found |= symbols_of_object(member, names, count);
		command = elf_next(member);
		elf_end(member);
	}
	elf_end(file);
	return found & all;
}

bool cc_of_compiler(const char *path)
{
	static const char *const own[] = {"libc.a", "libg.a", "libm.a", "libgcc.a", "libgcc_eh.a", "libpthread.a"};
	const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
	for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
		if (strcmp(name, own[i]) == 0)
			return true;
	}
	return false;
}

bool cc_copies_at_start(const char *path)
{
	static const char *const names[] = {"memcpy", "memmove"};
	const int fd = open(path, O_RDONLY);
	const bool copies = fd >= 0 && symbols_of_file(fd, names, 2, 3) != 0;
	if (fd >= 0)
		close(fd);
	return copies;
}

/* The C library and the compiler's name them themselves, and are not asked. */
void cc_names_jumps(const char *path, unsigned *jumps, unsigned *personalities)
{
	static const char *const of_exceptions[] = {"libstdc++.", "libsupc++.", "libc++.", "libc++abi.", "libgcc_s."};
	const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
	struct stat about;
	bool asked = true;
	if (cc_of_compiler(path))
		return;
	for (size_t i = 0; i < sizeof of_exceptions / sizeof *of_exceptions; i++)
		asked = asked && strncmp(name, of_exceptions[i], strlen(of_exceptions[i])) != 0;
	int fd = open(path, O_RDONLY);
	if (fd >= 0 && fstat(fd, &about) == 0 && about.st_size > 0) {
		size_t size = (size_t)about.st_size;
		void *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (bytes != MAP_FAILED) {
			const unsigned likely = names_of(bytes, size, cc_jumps, CC_JUMPS);
			*jumps |= symbols_of_file(fd, cc_jumps, CC_JUMPS, likely);
			*personalities |= asked ? names_of(bytes, size, cc_personalities, CC_PERSONALITIES) : 0;
			munmap(bytes, size);
		}
	}
	if (fd >= 0)
		close(fd);
}

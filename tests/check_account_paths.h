static TCase *paths_case(void)
{
	return tcase_create("paths");
}
